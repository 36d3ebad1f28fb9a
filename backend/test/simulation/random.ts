/** Random numbers that follow from a seed: the same seed gives the same sequence on every machine. */
export interface SeededRandom {
  /** In [0, 1). */
  fraction(): number
  /** A whole number from 0 to `below - 1`. */
  below(below: number): number
  /** True in this part of all cases. */
  chance(part: number): boolean
  pick<T>(items: readonly T[]): T
  /** One of the keys, each as often as its part says. */
  draw<Key extends string>(parts: Readonly<Record<Key, number>>): Key
  bytes(count: number): Buffer
}

/** Mulberry32: one 32-bit state, and long enough a period for some thousand steps. */
export function createRandom(seed: number): SeededRandom {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const fraction = () => next() / 2 ** 32
  const below = (limit: number) => Math.floor(fraction() * limit)
  return {
    fraction,
    below,
    chance: (part) => fraction() < part,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
    draw: (parts) => {
      const entries = Object.entries<number>(parts) as [keyof typeof parts, number][]
      let left = fraction() * entries.reduce((sum, [, part]) => sum + part, 0)
      return (entries.find(([, part]) => (left -= part) < 0) ?? entries[0])?.[0] as keyof typeof parts
    },
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => below(256))),
  }
}

/** Ids as the product makes them: those of `ordered` follow the clock, those of `any` do not. */
export function createIds(random: SeededRandom, nowMs: () => number) {
  let made = 0
  const withVersion = (bytes: Buffer, version: number): string => {
    bytes[6] = ((bytes[6] as number) & 0x0f) | (version << 4)
    bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
    const hex = bytes.toString('hex')
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
  }
  return {
    ordered: (): string => {
      const bytes = random.bytes(16)
      bytes.writeUIntBE(nowMs(), 0, 6)
      made += 1
      bytes.writeUInt16BE(made & 0xfff, 6)
      return withVersion(bytes, 7)
    },
    any: (): string => withVersion(random.bytes(16), 4),
  }
}
