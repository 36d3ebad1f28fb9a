import { ALL_FIELDS } from '@vedette/shared'
import { ALL_STORED, BlockError, decodeBlock, type SampleColumns, valueAt } from '@vedette/shared/metrics/block'
import { inUnitOf, type SlotRow } from '../../../hosts/metrics/index.ts'
import { figuresOf, type HostRow, labelsOf } from '../../prometheus/index.ts'
import type { ExportedSeries, Resource } from '../series/exported-series.ts'
import { OTLP_FIELDS, otlpSlot } from './otlp-names.ts'

/** A series that comes of fields. */
interface Derived extends Pick<ExportedSeries, 'name' | 'unit' | 'labels'> {
  fieldIds: readonly number[]
  valueOf(value: number, atMs: number, other: number): number
}

export type HostNaming = (host: HostRow, slots: readonly SlotRow[]) => Derived[]

/** As Prometheus reads hosts here. */
export const hostsAsPrometheus: HostNaming = (host, slots) => {
  const own = labelsOf(host)
  return figuresOf(host, slots).map(({ family, more, figure: { fieldIds, valueOf } }) => ({
    name: family.name,
    unit: '',
    labels: { ...own, ...more },
    fieldIds,
    valueOf,
  }))
}

/** As the semantic conventions of OpenTelemetry name them; the host is the resource. */
export const hostsAsOtlp: HostNaming = (_host, slots) =>
  [
    ...ALL_FIELDS.flatMap(({ id }) => {
      const metric = OTLP_FIELDS.get(id)
      return metric ? [{ id, metric }] : []
    }),
    ...slots.flatMap(({ kind, slot, name }) => otlpSlot(kind, slot, name)),
  ].map(({ id, metric: { name, unit, attributes, factor } }) => ({
    name,
    unit,
    labels: attributes,
    fieldIds: [id],
    // A percentage has two decimals: the quotient is the number that they write, the product may be the next one.
    valueOf: factor === 1 ? (value: number) => value : (value: number) => value / Math.round(1 / factor),
  }))

/** All series of a push; none of one that is damaged, which the readers of stored samples report. */
export function seriesOfPush(
  { block, t0Ms }: { block: Uint8Array; t0Ms: number },
  resource: Resource,
  derived: readonly Derived[],
): ExportedSeries[] {
  const columns = decodeOrNothing(block, t0Ms)
  if (!columns) return []
  const rows = new Map(columns.fieldIds.map((id, row) => [id, row]))
  return derived.flatMap(({ fieldIds, valueOf, ...own }) => {
    const [first, second] = fieldIds.map((id) => ({ id, row: rows.get(id) }))
    if (first?.row === undefined || (second && second.row === undefined)) return []
    const [instants, found]: [number[], number[]] = [[], []]
    for (let index = 0; index < columns.atMs.length; index++) {
      const value = valueIn(columns, first.id, first.row, index)
      const other = second?.row === undefined ? 0 : valueIn(columns, second.id, second.row, index)
      if (Number.isNaN(value) || Number.isNaN(other)) continue
      const atMs = valueAt(columns.atMs, index)
      instants.push(atMs)
      found.push(valueOf(value, atMs, other))
    }
    if (instants.length === 0) return []
    return [{ resource, ...own, isCounter: false, atMs: Float64Array.from(instants), values: Float64Array.from(found) }]
  })
}

const valueIn = ({ atMs, values }: SampleColumns, id: number, row: number, index: number): number =>
  inUnitOf(id, valueAt(values, row * atMs.length + index))

function decodeOrNothing(block: Uint8Array, t0Ms: number): SampleColumns | undefined {
  try {
    return decodeBlock(block, t0Ms, ALL_STORED)
  } catch (error) {
    if (error instanceof BlockError) return undefined
    throw error
  }
}
