/** Items by the second in which they become due: a query touches only the due buckets, not all items. */
export interface SecondBuckets<T> {
  add(one: T, fromMs: number): void
  /** Items whose second has come, the earliest first. An item may be due later within that second. */
  due(nowMs: number): T[]
  /** Returns the same items and removes them. */
  takeDue(nowMs: number): T[]
  /** The begin of the earliest second that has items, ms; infinite: there are none. */
  nextMs(): number
}

export function createSecondBuckets<T>(): SecondBuckets<T> {
  const buckets = new Map<number, T[]>()

  const secondsUntil = (nowMs: number): number[] =>
    [...buckets.keys()].filter((second) => second * 1_000 <= nowMs).sort((one, other) => one - other)
  const waitingIn = (seconds: readonly number[]): T[] => seconds.flatMap((second) => buckets.get(second) ?? [])

  return {
    add: (one, fromMs) => {
      const second = Math.floor(fromMs / 1_000)
      const others = buckets.get(second)
      if (others) others.push(one)
      else buckets.set(second, [one])
    },
    nextMs: () => Math.min(...buckets.keys()) * 1_000,
    due: (nowMs) => waitingIn(secondsUntil(nowMs)),
    takeDue: (nowMs) => {
      const seconds = secondsUntil(nowMs)
      const taken = waitingIn(seconds)
      for (const second of seconds) buckets.delete(second)
      return taken
    },
  }
}
