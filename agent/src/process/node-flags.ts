/**
 * Node's flags where an agent runs as a service. A young generation of 2 MB, collected by the only thread: with 1 MB
 * it is collected twice as often, for a twentieth more processor time and no less memory. The interpreter alone:
 * compiled code costs a megabyte and does not pay off in a program that works a millisecond in ten seconds; at a sample each second it
 * would save a tenth. The agent itself triggers garbage collections (memory-trimmer.ts), which keep the bytecode: V8's own memory
 * reducer wakes the process each eight seconds, and collects for as long as ten samples take.
 */
export const NODE_FLAGS: readonly string[] = [
  '--min-semi-space-size=2',
  '--max-semi-space-size=2',
  '--v8-pool-size=0',
  '--single-threaded',
  '--no-opt',
  '--no-maglev',
  '--no-sparkplug',
  '--expose-gc',
  '--no-memory-reducer',
  '--no-flush-bytecode',
]
