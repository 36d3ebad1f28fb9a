import type { SampleColumns } from './columns.ts'

/** For an hour of some fields more than there are; what needs more than that gets room that is not kept. */
const ROOM = 24_576
const room = new Float64Array(ROOM)

/** A row for each field, in the order in which they are found. */
export class Rows {
  readonly count: number
  values = room
  readonly #ids: number[] = []
  readonly #rowOf = new Map<number, number>()
  /** How many samples of a row are there, or known to lack it. */
  readonly #filled: number[] = []

  constructor(count: number) {
    this.count = count
  }

  /** The row of the field, made ready for so many samples from `start` on. It is looked for at `guess` first. */
  open(id: number, guess: number, start: number, length: number): number {
    const row = this.#ids[guess] === id ? guess : (this.#rowOf.get(id) ?? this.#add(id))
    const filled = this.#filled[row] as number
    if (filled < start) this.values.fill(Number.NaN, row * this.count + filled, row * this.count + start)
    this.#filled[row] = start + length
    return row
  }

  #add(id: number): number {
    const row = this.#ids.push(id) - 1
    this.#rowOf.set(id, row)
    this.#filled.push(0)
    if ((row + 1) * this.count > this.values.length) {
      const wider = new Float64Array(Math.max(2 * row, 1) * this.count + this.count)
      wider.set(this.values.subarray(0, row * this.count))
      this.values = wider
    }
    return row
  }

  finish(): Omit<SampleColumns, 'atMs'> {
    const { count } = this
    for (const [row, filled] of this.#filled.entries()) this.values.fill(Number.NaN, row * count + filled, (row + 1) * count)
    const ids = this.#ids
    if (ids.every((id, row) => row === 0 || id > (ids[row - 1] as number)))
      return { fieldIds: ids, values: this.values.subarray(0, ids.length * count) }
    return this.#sorted()
  }

  #sorted(): Omit<SampleColumns, 'atMs'> {
    const { count } = this
    const fieldIds = this.#ids.toSorted((left, right) => left - right)
    const values = new Float64Array(fieldIds.length * count)
    for (const [position, id] of fieldIds.entries()) {
      const row = this.#rowOf.get(id) as number
      values.set(this.values.subarray(row * count, (row + 1) * count), position * count)
    }
    return { fieldIds, values }
  }
}
