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
  for (let turn = 0; turn < rounds; turn += 1) {
    for (const [index, side] of sides.entries()) {
      const before = side.cpu()
      const { requests } = await order(load, { ...side.order, seconds })
      const sum = sums[index] as Measured
      sum.requests += requests
      sum.cpuSeconds += side.cpu() - before
    }
  }
  return {
    us: sums.map(({ requests, cpuSeconds }) => (cpuSeconds / requests) * 1e6),
    requests: sums.map(({ requests }) => requests),
  }
}
