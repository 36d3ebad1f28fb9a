/** Things that wait, by the second from which on they do no more: who looks touches those alone whose second has come, not all. */
export interface BySecond<T> {
  add(one: T, fromMs: number): void
  /** Those whose second has come, the earliest second first. Any of them may be due within that second only. */
  ripe(nowMs: number): T[]
  /** The same; they wait no more. */
  takeRipe(nowMs: number): T[]
}

export function createBySecond<T>(): BySecond<T> {
  const bySecond = new Map<number, T[]>()

  const secondsUntil = (nowMs: number): number[] =>
    [...bySecond.keys()].filter((second) => second * 1_000 <= nowMs).sort((one, other) => one - other)
  const waitingIn = (seconds: readonly number[]): T[] => seconds.flatMap((second) => bySecond.get(second) ?? [])

  return {
    add: (one, fromMs) => {
      const second = Math.floor(fromMs / 1_000)
      const others = bySecond.get(second)
      if (others) others.push(one)
      else bySecond.set(second, [one])
    },
    ripe: (nowMs) => waitingIn(secondsUntil(nowMs)),
    takeRipe: (nowMs) => {
      const seconds = secondsUntil(nowMs)
      const taken = waitingIn(seconds)
      for (const second of seconds) bySecond.delete(second)
      return taken
    },
  }
}
