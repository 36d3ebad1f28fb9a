import type { Child } from './child.ts'
import { cpuOf, cpuOfTree, limitCores, median, treeOf } from './processes.ts'

/** What some processes and their Postgres do. */
export interface Round {
  /** Pieces of work a second. */
  perSecond: number
  /** CPU of the processes and of Postgres for one piece. */
  ownUs: number
  postgresUs: number
}

/** Measures `work`, which returns how many pieces of work were done. */
export async function measureRound(children: readonly Child[], postgresPid: number, work: () => Promise<number>): Promise<Round> {
  const cpu = () => ({ own: children.reduce((sum, { pid }) => sum + cpuOf(pid), 0), postgres: cpuOfTree(postgresPid) })
  const before = cpu()
  const beganMs = performance.now()
  const count = await work()
  const seconds = (performance.now() - beganMs) / 1_000
  const after = cpu()
  return {
    perSecond: count / seconds,
    ownUs: ((after.own - before.own) / count) * 1e6,
    postgresUs: ((after.postgres - before.postgres) / count) * 1e6,
  }
}

/** The median of `rounds` rounds, after `warmUp` that do not count. */
export async function medianRound(rounds: number, warmUp: number, measure: () => Promise<Round>): Promise<Round> {
  const each: Round[] = []
  for (let index = 0; index < warmUp + rounds; index += 1) each.push(await measure())
  const middle = (of: (round: Round) => number) => median(each.slice(warmUp).map(of))
  return {
    perSecond: middle((one) => one.perSecond),
    ownUs: middle((one) => one.ownUs),
    postgresUs: middle((one) => one.postgresUs),
  }
}

/** CPU of the processes and of Postgres for one piece of work, microseconds. */
export const costOf = ({ ownUs, postgresUs }: Round): number => ownUs + postgresUs

/** These processes and Postgres share as many cores as there are processes. */
export const limitToCores = (children: readonly Child[], postgresPid: number): void =>
  limitCores(children.length, [...treeOf(postgresPid), ...children.map(({ pid }) => pid)])
