import type { MetricField, MetricGroup, SampleValues } from '@vedette/shared'
import { METRIC_FIELDS, UNIT_DECIMALS } from '@vedette/shared/metrics/fields'

function roundTo(value: number, decimals: number): number {
  const scale = 10 ** decimals
  return Math.round(value * scale) / scale
}

/** Undefined for an instant that no date has, as of a clock that counts from elsewhere. */
export function toTimestamp(ms: number): string | undefined {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

export const roundPercent = (value: number): number => roundTo(value, UNIT_DECIMALS.percent)
export const roundRate = (value: number): number => roundTo(value, UNIT_DECIMALS.rate)

/** Measured values of one group; undefined where a value could not be measured. */
export type Measured<G extends MetricGroup> = { [F in keyof (typeof METRIC_FIELDS)[G]]?: number | undefined }

/** The group of a sample: rounded to the wire's precision, without unknown values; undefined if all are unknown. */
export function toGroup<G extends MetricGroup>(group: G, measured: Measured<G>): SampleValues[G] | undefined {
  const fields: Record<string, MetricField> = METRIC_FIELDS[group]
  const values: Record<string, number | undefined> = measured
  let rounded: Record<string, number> | undefined
  for (const name of Object.keys(values)) {
    const value = values[name]
    const field = fields[name]
    if (value === undefined || field === undefined || !Number.isFinite(value)) continue
    rounded ??= {}
    rounded[name] = roundTo(value, UNIT_DECIMALS[field.unit])
  }
  // The names come from `measured`, whose type allows this group's fields only.
  return rounded
}
