import { once } from 'node:events'
import type { Child } from '../lib/child.ts'
import type { Order, Result } from './load.ts'

/** Has the clients do so and waits for their result. Throws where a request failed. */
export async function order(load: Child, what: Order): Promise<Result> {
  load.process.send(what)
  const [result] = (await once(load.process, 'message')) as [Result]
  if (result.failures > 0) throw new Error(`${result.failures} of ${result.requests} requests failed: ${result.firstFailure}`)
  return result
}

/** Of one side. */
interface Measured {
  requests: number
  cpuSeconds: number
}

/** One side that is measured: what it is sent, and the CPU seconds it has taken. */
export interface Side {
  order: Omit<Order, 'seconds'>
  cpu(): number
}

/** µs of CPU of a request of each side, measured in turns, and how many requests each had. */
export async function inTurns(load: Child, sides: readonly Side[], rounds: number, seconds: number) {
  const sums = sides.map((): Measured => ({ requests: 0, cpuSeconds: 0 }))
  const atStart = sides.map((side) => side.cpu())
  for (let turn = 0; turn < rounds; turn += 1) {
    for (const [index, side] of sides.entries()) {
      const before = side.cpu()
      const { requests } = await order(load, { ...side.order, seconds })
      const sum = sums[index] as Measured
      sum.requests += requests
      sum.cpuSeconds += side.cpu() - before
    }
  }
  // Sides of one program share what it does in the turns of others.
  const betweenUs = sides.map(({ cpu }, index) => {
    const shared = sums.filter((_, other) => sides[other]?.cpu === cpu)
    const sumOf = (key: keyof Measured) => shared.reduce((sum, one) => sum + one[key], 0)
    return ((cpu() - (atStart[index] ?? 0) - sumOf('cpuSeconds')) / sumOf('requests')) * 1e6
  })
  return {
    us: sums.map(({ requests, cpuSeconds }) => (cpuSeconds / requests) * 1e6),
    /** µs a request of what a side does while the others have their turns. */
    betweenUs,
    requests: sums.map(({ requests }) => requests),
  }
}
