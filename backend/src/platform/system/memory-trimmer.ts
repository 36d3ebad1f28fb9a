import process from 'node:process'

/** A process that uses more CPU allocates, and would ask for the memory again. */
const RESTING_CPU = 0.02
/** Less is not worth a collection. */
const GROWTH_BYTES = 16 * 1024 * 1024

/** What is read of the process; replaced in tests. */
export interface OwnProcess {
  /** CPU time since the start. */
  cpuMs(): number
  heapBytes(): number
  /** Undefined without `--expose-gc`. */
  collect: typeof globalThis.gc
}

const ownProcess: OwnProcess = {
  cpuMs: () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  },
  heapBytes: () => process.memoryUsage().heapTotal,
  collect: globalThis.gc,
}

/**
 * Returns a function, to be called about every minute, that returns memory to the system when the process rests and its heap has
 * grown. V8 alone keeps what the start or a busy hour has left, up to half of the memory. The collection takes a tenth of a second.
 */
export function createMemoryTrimmer(nowMs: () => number, { cpuMs, heapBytes, collect }: OwnProcess = ownProcess): () => void {
  let last = { atMs: nowMs(), cpuMs: cpuMs() }
  let leastBytes = 0
  return () => {
    const current = { atMs: nowMs(), cpuMs: cpuMs() }
    const isResting = current.cpuMs - last.cpuMs < (current.atMs - last.atMs) * RESTING_CPU
    last = current
    if (!collect || !isResting || heapBytes() < leastBytes + GROWTH_BYTES) return
    // The flavor that returns pages to the system.
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    leastBytes = heapBytes()
  }
}
