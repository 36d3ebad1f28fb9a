/** What became of a sample, as its agent knows it. */
export const FATE = { unsent: 0, acked: 1, refused: 2, unknown: 3 } as const

interface Values {
  percent: number
  load: number
  /** Of memory: the number of the sample itself. */
  used: number
  established: number
  received: number
}

/**
 * The samples of one agent by number: sample n is of the instant `base + n · step`, and its values are a hash of the server, the
 * start of the agent that took it, its number and its instant. Any mix-up shows, and nothing has to be kept but the fates.
 */
export class Ledger {
  readonly agent: number
  readonly baseMs: number
  readonly stepMs: number
  readonly capacity: number
  readonly #fates: Uint8Array
  readonly #starts: Uint8Array
  #start = 0
  #next = 0

  constructor(agent: number, baseMs: number, stepMs: number, capacity: number) {
    this.agent = agent
    this.baseMs = baseMs
    this.stepMs = stepMs
    this.capacity = capacity
    this.#fates = new Uint8Array(capacity)
    this.#starts = new Uint8Array(capacity)
  }

  /** From here on another start of the agent takes the samples. */
  restart(): void {
    this.#start = (this.#start + 1) % 256
  }

  /** The numbers of the next samples, none of which is after `untilMs`. */
  take(count: number, untilMs: number): { from: number; to: number } | undefined {
    const last = Math.min(this.capacity, Math.floor((untilMs - this.baseMs) / this.stepMs) + 1)
    const from = this.#next
    const to = Math.min(from + count, last)
    if (to <= from) return undefined
    this.#next = to
    this.#starts.fill(this.#start, from, to)
    return { from, to }
  }

  /** How many were taken. */
  get taken(): number {
    return this.#next
  }

  instantOf(number: number): number {
    return this.baseMs + number * this.stepMs
  }

  /** Undefined for an instant that is none of this agent's. */
  numberOf(atMs: number): number | undefined {
    const number = (atMs - this.baseMs) / this.stepMs
    return Number.isInteger(number) && number >= 0 && number < this.capacity ? number : undefined
  }

  note(from: number, to: number, fate: number): void {
    this.#fates.fill(fate, from, to)
  }

  fateOf(number: number): number {
    return this.#fates[number] ?? FATE.unsent
  }

  countOf(fate: number): number {
    let count = 0
    for (let number = 0; number < this.#next; number += 1) if (this.#fates[number] === fate) count += 1
    return count
  }

  valuesOf(number: number): Values {
    const at = this.instantOf(number)
    const seed = mix(mix(mix(this.agent * 256 + (this.#starts[number] ?? 0)) ^ number) ^ (at % 2 ** 32))
    const upTo = (bound: number, salt: number) => mix(seed ^ salt) % bound
    return {
      percent: upTo(10_001, 1) / 100,
      load: upTo(50_001, 2) / 100,
      used: number,
      established: upTo(1_000_000, 3),
      received: upTo(100_000_000, 4) / 1_000,
    }
  }
}

/** A 32-bit hash of a 32-bit number. */
function mix(number: number): number {
  let hash = Math.imul(number ^ (number >>> 16), 0x85ebca6b) >>> 0
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35) >>> 0
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Columns of a push, and of what is read back, by their names. */
export const COLUMNS: Readonly<Record<string, keyof Values>> = {
  'cpu.percent': 'percent',
  'cpu.load_1': 'load',
  'memory.used_bytes': 'used',
  'tcp.established': 'established',
  'network.rx_bytes_per_sec': 'received',
}
