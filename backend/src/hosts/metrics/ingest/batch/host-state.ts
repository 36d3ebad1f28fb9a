import type { BatchState, Filesystem, HostState, NetworkInterface, Process } from '@vedette/shared'
import { fromScaled, toScaled } from '@vedette/shared/metrics/block'

/**
 * The host state of a valid batch: only known fields, rounded as samples are. Missing parts are omitted.
 */
export function toState({ filesystems, interfaces, processes, host }: BatchState): BatchState {
  const state: BatchState = {}
  if (filesystems) state.filesystems = filesystems.map(toFilesystem)
  if (interfaces) state.interfaces = interfaces.map(toInterface)
  if (processes) state.processes = processes.map(toProcess)
  if (host) state.host = toHost(host)
  return state
}

const toFilesystem = ({ mount, fs_type, used_bytes, total_bytes, percent, inodes_percent: inodes }: Filesystem): Filesystem => ({
  mount,
  fs_type,
  used_bytes: used_bytes + 0,
  total_bytes: total_bytes + 0,
  percent: rounded(percent, 'percent'),
  ...(inodes !== undefined && { inodes_percent: rounded(inodes, 'percent') }),
})

const toInterface = ({ name, rx_bytes_per_sec, tx_bytes_per_sec }: NetworkInterface): NetworkInterface => ({
  name,
  rx_bytes_per_sec: rx_bytes_per_sec === null ? null : rounded(rx_bytes_per_sec, 'rate'),
  tx_bytes_per_sec: tx_bytes_per_sec === null ? null : rounded(tx_bytes_per_sec, 'rate'),
})

const toProcess = ({ pid, name, cpu_percent, memory_bytes }: Process): Process => ({
  pid: pid + 0,
  name,
  cpu_percent: cpu_percent === null ? null : rounded(cpu_percent, 'percent'),
  memory_bytes: memory_bytes === null ? null : memory_bytes + 0,
})

function toHost({
  uptime_seconds,
  logged_in_users,
  failed_units,
  reboot_required,
  clock_offset_seconds: offset,
  missing_processes,
}: HostState): HostState {
  return {
    ...(uptime_seconds !== undefined && { uptime_seconds: uptime_seconds + 0 }),
    ...(logged_in_users !== undefined && { logged_in_users: logged_in_users + 0 }),
    ...(failed_units && { failed_units }),
    ...(reboot_required !== undefined && { reboot_required }),
    ...(offset !== undefined && { clock_offset_seconds: offset + 0 }),
    ...(missing_processes && { missing_processes }),
  }
}

/** −0 becomes 0, here and where 0 is added above. */
const rounded = (value: number, unit: 'percent' | 'rate'): number => fromScaled(toScaled(value, { unit }), { unit })
