import {
  ALL_FIELDS,
  DIMENSION_KINDS,
  type DimensionKind,
  MAX_DIMENSIONS,
  METRIC_GROUPS,
  type MetricGroup,
  slotFields,
} from '@vedette/shared'
import { scaleOf } from '@vedette/shared/metrics/block'

/** What is stored and read together: a group of samples, or the filesystems or interfaces of a host. */
export type StoredGroup = MetricGroup | DimensionKind

export const STORED_GROUPS: readonly StoredGroup[] = [...METRIC_GROUPS, ...DIMENSION_KINDS]

const slots = (kind: DimensionKind) => Array.from({ length: MAX_DIMENSIONS }, (_, slot) => slotFields(kind, slot)).flat()
const FIELDS_OF = new Map<StoredGroup, readonly { id: number; unit: (typeof ALL_FIELDS)[number]['unit'] }[]>([
  ...METRIC_GROUPS.map((group) => [group, ALL_FIELDS.filter((field) => field.group === group)] as const),
  ...DIMENSION_KINDS.map((kind) => [kind, slots(kind)] as const),
])

/** The field ids that a question about these groups has to read. */
export function fieldIdsOf(groups: readonly StoredGroup[]): Set<number> {
  return new Set(groups.flatMap((group) => FIELDS_OF.get(group) ?? []).map(({ id }) => id))
}

/** What stored values of a field are divided by, by its id. */
export const SCALES: ReadonlyMap<number, number> = new Map(
  [...FIELDS_OF.values()].flatMap((fields) => fields.map((field) => [field.id, scaleOf(field)] as const)),
)

/** The place of a group among those of a stored day; it never changes, and a new group is the last. */
export function placeOf(group: StoredGroup): number {
  const index = DIMENSION_KINDS.indexOf(group as DimensionKind)
  return index >= 0 ? index : DIMENSION_KINDS.length + METRIC_GROUPS.indexOf(group as MetricGroup)
}
