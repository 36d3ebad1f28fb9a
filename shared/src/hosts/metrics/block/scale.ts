import { MAX_BLOCK_FIELDS } from './columns.ts'
import { ALL_FIELDS, type MetricField, UNIT_DECIMALS } from '../fields.ts'

/** Which fields a reader takes. */
export interface Wanted {
  /** So many at most. */
  size: number
  has(fieldId: number): boolean
}

/** What a value of the field is multiplied with to become the integer that is stored: percent 100, load 100, rate 1000, else 1. */
export function scaleOf(field: Pick<MetricField, 'unit'>): number {
  return SCALES[field.unit]
}

const SCALES = Object.fromEntries(Object.entries(UNIT_DECIMALS).map(([unit, decimals]) => [unit, 10 ** decimals])) as Record<
  MetricField['unit'],
  number
>

/**
 * The stored integer of a value, `Math.round(value * scale)`. A decimal of the wire's precision comes back as the same double;
 * what is finer goes to the nearest step of the double as it is, so that 1.005 (which is 1.00499…) becomes 1.00.
 * −0 becomes 0. May exceed 2^53 − 1: the caller refuses that.
 */
export function toScaled(value: number, field: Pick<MetricField, 'unit'>): number {
  return Math.round(value * scaleOf(field)) + 0
}

/** The double nearest to the decimal that a stored integer means. */
export function fromScaled(scaled: number, field: Pick<MetricField, 'unit'>): number {
  return scaled / scaleOf(field)
}

/** Takes every field, also those that only a newer version knows: for who stores again what it read. */
export const ALL_STORED: Wanted = { size: MAX_BLOCK_FIELDS, has: () => true }

/** Every field this version knows; what a newer one may have written under other ids is skipped. */
export const KNOWN_FIELD_IDS: ReadonlySet<number> = new Set(ALL_FIELDS.map((field) => field.id))
