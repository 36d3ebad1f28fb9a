import type { MetricField, MetricGroup, SampleValues } from '@vedette/shared'
import { METRIC_FIELDS, UNIT_DECIMALS } from '@vedette/shared/metrics/fields'

function roundTo(value: number, decimals: number): number {
  const scale = 10 ** decimals
  return Math.round(value * scale) / scale
}

export const roundPercent = (value: number): number => roundTo(value, UNIT_DECIMALS.percent)
export const roundRate = (value: number): number => roundTo(value, UNIT_DECIMALS.rate)

/** What a sampler measured in one group; undefined where it could not. */
export type Measured<G extends MetricGroup> = { [F in keyof (typeof METRIC_FIELDS)[G]]?: number | undefined }

/** The group as a sample holds it: rounded to the wire's precision, what is unknown left out; undefined when nothing is known. */
export function toGroup<G extends MetricGroup>(group: G, measured: Measured<G>): SampleValues[G] | undefined {
  const fields: Record<string, MetricField> = METRIC_FIELDS[group]
  const given: Record<string, number | undefined> = measured
  let known: Record<string, number> | undefined
  for (const name of Object.keys(given)) {
    const value = given[name]
    const field = fields[name]
    if (value === undefined || field === undefined || !Number.isFinite(value)) continue
    known ??= {}
    known[name] = roundTo(value, UNIT_DECIMALS[field.unit])
  }
  // The names come from `measured`, whose type allows this group's fields only.
  return known
}
