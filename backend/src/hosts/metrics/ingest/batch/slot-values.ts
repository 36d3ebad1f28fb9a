import { type DimensionKind, type Filesystem, type NetworkInterface, slotFields } from '@vedette/shared'
import { type LastValue, toScaled } from '@vedette/shared/metrics/block'

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

/** Converts the host state to values of the newest sample of each batch. */
export class SlotValues {
  readonly withoutSlot: Named[] = []
  readonly #slots: Slots

  constructor(slots: Slots) {
    this.#slots = slots
  }

  /** By ascending id; of two with one name the first counts. */
  of(filesystems: readonly Filesystem[] = [], interfaces: readonly NetworkInterface[] = []): readonly LastValue[] {
    const values: LastValue[] = []
    for (const entry of filesystems) this.#add('mount', entry.mount, entry, values)
    for (const entry of interfaces) this.#add('interface', entry.name, entry, values)
    return inOrder(values)
  }

  #add(kind: DimensionKind, name: string, entry: object, values: LastValue[]): void {
    const slot = this.#slots.slotOf(kind, name)
    if (slot === undefined) {
      if (!this.#slots.isFull(kind)) this.withoutSlot.push({ kind, name })
      return
    }
    for (const field of slotFields(kind, slot)) {
      const value = (entry as Record<string, unknown>)[field.name]
      if (typeof value === 'number') values.push({ id: field.id, value: toScaled(value, field) })
    }
  }
}

/** By ascending id, each once; the sort keeps the first of two before the other. Nearly always that is how they come. */
function inOrder(values: readonly LastValue[]): readonly LastValue[] {
  if (values.every(({ id }, index) => index === 0 || id > (values[index - 1] as LastValue).id)) return values
  const sorted = values.toSorted((left, right) => left.id - right.id)
  return sorted.filter(({ id }, index) => index === 0 || id !== (sorted[index - 1] as LastValue).id)
}
