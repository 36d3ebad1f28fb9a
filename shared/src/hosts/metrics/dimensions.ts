import type { MetricField, MetricGroup } from './fields.ts'

/**
 * What a host has several of, each with a name: the fields of one of them, written once. In stored blocks the `slot`-th name of a
 * server has the ids from `firstId + slot * DIMENSION_IDS` on; ids never change, a new field takes the next id.
 */
export interface Dimension {
  group: MetricGroup
  firstId: number
  fields: Readonly<Record<string, Pick<MetricField, 'unit' | 'answer' | 'whole'>>>
}

/** Names of a kind of which a server may have samples; of the rest the newest state is kept alone. */
export const MAX_DIMENSIONS = 64
/** Ids that are set aside for one name. */
export const DIMENSION_IDS = 8

export const DIMENSIONS = {
  mount: {
    group: 'disk',
    firstId: 1_024,
    fields: {
      used_bytes: { unit: 'bytes', answer: 'newest' },
      total_bytes: { unit: 'bytes', answer: 'newest' },
      percent: { unit: 'percent', answer: 'newest' },
    },
  },
  interface: {
    group: 'network',
    firstId: 2_048,
    fields: { rx_bytes_per_sec: { unit: 'rate', answer: 'mean' }, tx_bytes_per_sec: { unit: 'rate', answer: 'mean' } },
  },
} as const satisfies Record<string, Dimension>

export type DimensionKind = keyof typeof DIMENSIONS
export const DIMENSION_KINDS = Object.keys(DIMENSIONS) as DimensionKind[]

/** A field of a named thing, with the id that it has in one slot. */
export interface SlotField extends Pick<MetricField, 'unit' | 'answer' | 'whole'> {
  id: number
  name: string
}

const SLOTS = new Map(
  DIMENSION_KINDS.map((kind) => [kind, Array.from({ length: MAX_DIMENSIONS }, (_, slot) => fieldsAt(DIMENSIONS[kind], slot))]),
)

function fieldsAt({ firstId, fields }: Dimension, slot: number): SlotField[] {
  return Object.entries(fields).map(([name, field], index) => ({ ...field, name, id: firstId + slot * DIMENSION_IDS + index }))
}

/** The slot of a field, by its id; undefined for a field of no slot. */
export function slotOfField(id: number): { kind: DimensionKind; slot: number } | undefined {
  const kind = DIMENSION_KINDS.find((name) => {
    const { firstId } = DIMENSIONS[name]
    return id >= firstId && id < firstId + MAX_DIMENSIONS * DIMENSION_IDS
  })
  return kind && { kind, slot: Math.floor((id - DIMENSIONS[kind].firstId) / DIMENSION_IDS) }
}

/** The fields of the slot, by ascending id; none beyond the last slot. */
export const slotFields = (kind: DimensionKind, slot: number): readonly SlotField[] => SLOTS.get(kind)?.[slot] ?? []
