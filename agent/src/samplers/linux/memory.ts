import { toGroup } from '../numbers/precision.ts'
import { parseNumbers } from './text.ts'

const KIBIBYTE = 1024

/** The lines of /proc/meminfo that are used. */
const NAMES = ['MemTotal', 'MemFree', 'MemAvailable', 'Buffers', 'Cached', 'SReclaimable', 'Shmem', 'SwapTotal', 'SwapFree']

/** /proc/meminfo in bytes, by the names of the file. */
function parseMeminfo(text: string): Map<string, number> {
  const sizes = new Map<string, number>()
  for (const name of NAMES) {
    const start = valueStart(text, name)
    if (start === undefined) continue
    const feed = text.indexOf('\n', start)
    const [value] = parseNumbers(text, start, feed < 0 ? text.length : feed)
    if (value !== undefined) sizes.set(name, value * KIBIBYTE)
  }
  return sizes
}

/** Position behind the colon of the line with this name. */
function valueStart(text: string, name: string): number | undefined {
  if (text.startsWith(`${name}:`)) return name.length + 1
  const feed = text.indexOf(`\n${name}:`)
  return feed < 0 ? undefined : feed + name.length + 2
}

/**
 * Memory available without swapping. Kernels before 3.14 do not provide it: then free memory plus reclaimable memory (buffers, page
 * cache, reclaimable slab), without shared memory, which is in the page cache but not reclaimable.
 */
function availableBytes(sizes: Map<string, number>): number | undefined {
  const available = sizes.get('MemAvailable')
  if (available !== undefined) return available
  const free = sizes.get('MemFree')
  const cached = sizes.get('Cached')
  if (free === undefined || cached === undefined) return undefined
  return free + (sizes.get('Buffers') ?? 0) + cached + (sizes.get('SReclaimable') ?? 0) - (sizes.get('Shmem') ?? 0)
}

/** Reclaimable memory of the ZFS cache, which MemAvailable does not include; 0 without ZFS. */
export function reclaimableArcBytes(arcstatsText: string | undefined): number {
  const read = (name: string) => Number(new RegExp(`^${name} +4 +(\\d+)$`, 'm').exec(arcstatsText ?? '')?.[1] ?? 0)
  return Math.max(0, read('size') - read('c_min'))
}

/** The memory group. A host without swap uses 0 of 0 bytes, which is 0 percent. */
export function memoryGroup(meminfoText: string | undefined, arcstatsText?: string) {
  if (meminfoText === undefined) return undefined
  const sizes = parseMeminfo(meminfoText)
  const total = sizes.get('MemTotal')
  const available = availableBytes(sizes)
  // Containers with a faked meminfo show more available than total.
  const used =
    total === undefined || available === undefined
      ? undefined
      : Math.max(0, total - available - reclaimableArcBytes(arcstatsText))
  const swapTotal = sizes.get('SwapTotal')
  const swapFree = sizes.get('SwapFree')
  const swapUsed = swapTotal === undefined || swapFree === undefined ? undefined : Math.max(0, swapTotal - swapFree)
  return toGroup('memory', {
    used_bytes: used,
    total_bytes: total,
    percent: percentOf(used, total),
    swap_used_bytes: swapUsed,
    swap_total_bytes: swapTotal,
    swap_percent: swapTotal === 0 ? 0 : percentOf(swapUsed, swapTotal),
  })
}

function percentOf(part: number | undefined, whole: number | undefined): number | undefined {
  return part === undefined || whole === undefined || whole === 0 ? undefined : (part * 100) / whole
}
