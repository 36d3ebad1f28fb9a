/**
 * Node's flags where an agent runs as a service. A young generation of 1 MB, collected by the only thread. No optimizing compilers:
 * they cost a megabyte and do not pay off in a program that works a millisecond per second. The agent itself triggers garbage
 * collections (memory-trimmer.ts).
 */
export const NODE_FLAGS: readonly string[] = [
  '--max-semi-space-size=1',
  '--v8-pool-size=0',
  '--single-threaded',
  '--no-opt',
  '--no-maglev',
  '--expose-gc',
]
