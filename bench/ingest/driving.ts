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

export async function measure(load: Child, side: Side, seconds: number): Promise<Measured> {
  const before = side.cpu()
  const { requests } = await order(load, { ...side.order, seconds })
  return { requests, cpuSeconds: side.cpu() - before }
}

export const usOf = ({ requests, cpuSeconds }: Measured): number => (cpuSeconds / requests) * 1e6

const sumOf = (all: readonly Measured[]): Measured => ({
  requests: all.reduce((sum, { requests }) => sum + requests, 0),
  cpuSeconds: all.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
})

export interface Turns {
  us: number[]
  ratios: number[]
  /** Of the first side. */
  requests: number
}

/** µs of CPU of a request of each side, and the first's over the second's in each turn. */
export async function inTurns(load: Child, sides: readonly Side[], rounds: number, seconds: number): Promise<Turns> {
  const turns: Measured[][] = []
  for (let turn = 0; turn < rounds; turn += 1) {
    const own: Measured[] = []
    for (const side of sides) own.push(await measure(load, side, seconds))
    turns.push(own)
  }
  const sums = sides.map((_, index) => sumOf(turns.map((turn) => turn[index] as Measured)))
  const requests = sums[0]?.requests ?? 0
  return {
    us: sums.map(usOf),
    requests,
    ratios: turns.flatMap(([own, other]) => (own && other ? [usOf(own) / usOf(other)] : [])),
  }
}
