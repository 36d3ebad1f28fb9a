import { type DimensionKind, type Filesystem, type NetworkInterface, slotFields } from '@vedette/shared'
import { type TailValue, toScaled } from '../block/index.ts'

/** One of the things of a kind that a host has several of. */
export interface Named {
  kind: DimensionKind
  name: string
}

/** Where the named things of one server stand in its blocks. */
export interface Slots {
  slotOf(kind: DimensionKind, name: string): number | undefined
  /** No further name gets a slot. */
  isFull(kind: DimensionKind): boolean
}

/** Turns the state beside samples into what goes with the newest sample of each batch. */
export class Tail {
  readonly unplaced: Named[] = []
  readonly #slots: Slots

  constructor(slots: Slots) {
    this.#slots = slots
  }

  /** By ascending id; of two with one name the first counts. */
  of(filesystems: readonly Filesystem[] = [], interfaces: readonly NetworkInterface[] = []): TailValue[] {
    const values = new Map<number, number>()
    for (const entry of filesystems) this.#add('mount', entry.mount, entry, values)
    for (const entry of interfaces) this.#add('interface', entry.name, entry, values)
    return [...values].map(([id, value]) => ({ id, value })).sort((left, right) => left.id - right.id)
  }

  #add(kind: DimensionKind, name: string, entry: object, values: Map<number, number>): void {
    const slot = this.#slots.slotOf(kind, name)
    if (slot === undefined) {
      if (!this.#slots.isFull(kind)) this.unplaced.push({ kind, name })
      return
    }
    for (const field of slotFields(kind, slot)) {
      const value = (entry as Record<string, unknown>)[field.name]
      if (typeof value === 'number' && !values.has(field.id)) values.set(field.id, toScaled(value, field))
    }
  }
}
