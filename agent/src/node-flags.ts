/**
 * What Node is started with where an agent runs as a service. A nursery of 1 MB, collected by the one thread that there is. No
 * optimizing compilers: they never pay for themselves in a program that works a millisecond a second, and cost a megabyte. And
 * the agent itself says when to collect (memory.ts).
 */
export const NODE_FLAGS: readonly string[] = [
  '--max-semi-space-size=1',
  '--v8-pool-size=0',
  '--single-threaded',
  '--no-opt',
  '--no-maglev',
  '--expose-gc',
]
