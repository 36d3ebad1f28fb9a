/** What is counted of the system calls of an agent, in the order of the table. */
export const COUNTS = {
  calls: 'system calls',
  opens: 'files and folders opened',
  reads: 'reads of files',
  bytesRead: 'bytes read of files',
  listings: 'reads of folders',
  lookups: 'look-ups of a path or the state of a file',
  writes: 'writes to files',
  syncs: 'syncs to the disk',
  network: 'calls for the network',
  wakeUps: 'wake-ups',
  threadCalls: 'calls in other threads',
  allocatedBytes: 'bytes allocated',
} as const
export type Count = keyof typeof COUNTS

/** What an agent does. `minute` is the sample that also lists the mounts and counts sockets by state. */
export const UNITS = { sample: 'a sample', minute: 'that of a minute', push: 'a push' } as const
export type Unit = keyof typeof UNITS

export type Counts = Record<Count, number>
export type UnitCounts = Record<Unit, Counts>

/**
 * On the fixed host of `host.ts`, at the default intervals with all sources that are on by default. What depends a little
 * on when another thread of the agent runs has a tenth more than was counted: all calls, wake-ups, other threads, allocated bytes.
 */
export const LIMITS: UnitCounts = {
  sample: {
    calls: 22,
    opens: 0,
    reads: 7,
    bytesRead: 4_500,
    listings: 0,
    lookups: 0,
    writes: 1,
    syncs: 1,
    network: 0,
    wakeUps: 3,
    threadCalls: 4,
    allocatedBytes: 58_000,
  },
  minute: {
    calls: 56,
    opens: 2,
    reads: 11,
    bytesRead: 7_100,
    listings: 0,
    lookups: 0,
    writes: 1,
    syncs: 1,
    network: 0,
    wakeUps: 9,
    threadCalls: 18,
    allocatedBytes: 82_000,
  },
  push: {
    calls: 100,
    opens: 7,
    reads: 59,
    bytesRead: 10_000,
    listings: 2,
    lookups: 8,
    writes: 3,
    syncs: 0,
    network: 3,
    wakeUps: 3,
    threadCalls: 0,
    allocatedBytes: 440_000,
  },
}

/** Garbage collections in an hour of samples and pushes. */
export const COLLECTIONS_PER_HOUR = 60

/** What exceeds its limit, and by how much. */
export function excesses(measured: UnitCounts, limits: UnitCounts = LIMITS): string[] {
  return (Object.keys(UNITS) as Unit[]).flatMap((unit) =>
    (Object.keys(COUNTS) as Count[]).flatMap((count) => {
      const [value, limit] = [measured[unit][count], limits[unit][count]]
      // What was not counted is no number, and within no limit.
      return value <= limit ? [] : [`${COUNTS[count]} of ${UNITS[unit]}: ${value}, ${value - limit} above the limit of ${limit}`]
    }),
  )
}
