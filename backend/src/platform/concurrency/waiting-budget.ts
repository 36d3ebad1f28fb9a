import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * How long one request waits for the database in all: connections, statements and their repeats. It is answered with 503 within
 * 5 s; the rest of them is for the last statement, which gets `LEAST_MS`, and for the answer.
 */
export const REQUEST_LIMIT_MS = 4_250
/**
 * A request of many steps, whose statements a database that answers each at once still takes longer for, may wait so many times as long
 * in all: each statement no longer than another request.
 */
export const MANY_STEPS = 25
/** A statement that begins in time may take this long: a shorter limit would close connections that are only busy. */
const LEAST_MS = 250

/** What one piece of work may still wait for the database. Its other work, such as a body that arrives slowly, is not counted. */
export interface WaitingBudget {
  readonly limitMs: number
  /** Whose request it is, once that is known. */
  organization?: number
  leftMs(): number
  /** Counts the time until the returned function is called. Waits at the same time count once. */
  wait(): () => void
}

const budgets = new AsyncLocalStorage<WaitingBudget | undefined>()

/** `limitMs`: of a wait; `totalMs`: of all of them. */
export function createWaitingBudget(limitMs: number, totalMs = limitMs): WaitingBudget {
  let spentMs = 0
  let waits = 0
  let sinceMs = 0
  const spent = () => (waits === 0 ? spentMs : spentMs + performance.now() - sinceMs)
  return {
    limitMs,
    leftMs: () => Math.min(limitMs, totalMs - spent()),
    wait: () => {
      if (waits === 0) sinceMs = performance.now()
      waits += 1
      return () => {
        if (waits === 1) spentMs = spent()
        waits -= 1
      }
    },
  }
}

export const currentBudget = (): WaitingBudget | undefined => budgets.getStore()

/** Runs `work` with this budget; its statements fail with ETIMEDOUT when that is spent. */
export const withBudget = <T>(budget: WaitingBudget, work: () => T): T => budgets.run(budget, work)

/** Runs `work` without the budget of the request that happens to start it: what serves others too, or goes on after the answer. */
export const outsideRequest = <T>(work: () => T): T => (budgets.getStore() ? budgets.run(undefined, work) : work())

/**
 * Runs `work` with a new budget of the same length: one step of work for several requests, which runs in the name of one of them. Each
 * of them waits for it by `withinBudget`.
 */
export function withFreshBudget<T>(work: () => T): T {
  const budget = currentBudget()
  return budget ? withBudget(createWaitingBudget(budget.limitMs), work) : work()
}

/** Waits for what other code gets from the database, at most until the budget is spent; then it throws ETIMEDOUT. */
export async function withinBudget<T>(work: Promise<T>, budget = currentBudget()): Promise<T> {
  if (!budget) return work
  const stop = budget.wait()
  let late: NodeJS.Timeout | undefined
  const isLate = new Promise<never>((_resolve, reject) => {
    late = setTimeout(() => reject(timedOut(budget.limitMs)), Math.max(0, budget.leftMs()))
  })
  try {
    return await Promise.race([work, isLate])
  } finally {
    clearTimeout(late)
    stop()
  }
}

/** What a statement may take that begins now; undefined once nothing is left. Rounded, so that timers are seldom replaced. */
export function limitOfStatement(budget: WaitingBudget, limitMs: number): number | undefined {
  const leftMs = budget.leftMs()
  return leftMs <= 0 ? undefined : Math.min(limitMs, Math.ceil(leftMs / LEAST_MS) * LEAST_MS)
}

export const timedOut = (limitMs: number): Error =>
  Object.assign(new Error(`The database did not answer within ${limitMs} ms.`), { code: 'ETIMEDOUT' })
