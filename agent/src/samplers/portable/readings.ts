import { truncateText } from '@vedette/shared/outside-text'
import type { Filesystem } from '@vedette/shared'
import { MAX_FILESYSTEMS, MAX_MOUNT_LENGTH } from '@vedette/shared/metrics/limits'
import { type Measured, roundPercent } from '../numbers/precision.ts'
import type { SystemInformation } from './systeminformation.ts'

type Answer<Name extends 'mem' | 'fsSize' | 'networkInterfaces' | 'networkStats'> = Awaited<ReturnType<SystemInformation[Name]>>

/** Swap of size 0 is left out: it may also be a failed reading. */
export function toMemory(mem: Answer<'mem'>): Measured<'memory'> | undefined {
  const { total, available, swaptotal, swapused } = mem
  // No running host has 0 of either: the reading failed.
  if (!(total > 0 && available > 0 && available <= total)) return undefined
  const swap = swaptotal > 0 && swapused >= 0 && swapused <= swaptotal
  return {
    used_bytes: total - available,
    total_bytes: total,
    percent: ((total - available) * 100) / total,
    ...(swap && { swap_used_bytes: swapused, swap_total_bytes: swaptotal, swap_percent: (swapused * 100) / swaptotal }),
  }
}

/** Drives with a filesystem; undefined if none was read. */
export function toFilesystems(drives: Answer<'fsSize'>): Filesystem[] | undefined {
  const usable = drives.filter(
    ({ size, used, available, mount }) =>
      size > 0 && used >= 0 && available >= 0 && used + available > 0 && mount !== '' && mount.length <= MAX_MOUNT_LENGTH,
  )
  if (usable.length === 0) return undefined
  return usable.slice(0, MAX_FILESYSTEMS).map(({ mount, type, size, used, available }) => ({
    mount,
    fs_type: truncateText(type, 64),
    used_bytes: Math.round(used),
    total_bytes: Math.round(size),
    percent: roundPercent((used * 100) / (used + available)),
  }))
}

/** Names of the physical interfaces. */
export function physicalNames(interfaces: Answer<'networkInterfaces'>): string[] {
  return interfaces.filter(({ internal, virtual }) => !internal && !virtual).map(({ iface }) => iface)
}

/** Received bytes, sent bytes, receive errors and send errors of each interface that was read. */
export function toCounters(stats: Answer<'networkStats'>): Map<string, number[]> {
  const read = stats.filter(({ rx_bytes, tx_bytes, operstate }) => {
    const isUntouched = rx_bytes === 0 && tx_bytes === 0 && operstate === 'unknown'
    return !isUntouched && [rx_bytes, tx_bytes].every((bytes) => Number.isFinite(bytes) && bytes >= 0)
  })
  return new Map(
    read.map(({ iface, rx_bytes, tx_bytes, rx_errors, tx_errors }) => [iface, [rx_bytes, tx_bytes, rx_errors, tx_errors]]),
  )
}
