import type { Shares } from './rans.ts'

/** Layout of packed columns: docs/internals/sample-format.md. */
export const VERSION = 1
/** The number under which instants are a column, in ms from the start of their part. */
export const INSTANTS = 0

export const SPARSE = 1
export const FLAGS_RADIX = 2

/**
 * How a column predicts its next value. FROM_LEAST: the least value, as with rates that drop to 0. DELTA: the value before, plus the
 * drift. Between them: so many eighths of the way from the mean to the value before, as with noise around a level.
 */
export const FROM_LEAST = 0
export const DELTA = 8
export const CONSTANT = 9

/** Shares of few tokens are stored in fewer bits. */
export const FEW_SCALE = 8
export const MANY_SCALE = 12
export const MANY = 1_000

export interface Column {
  id: number
  isSparse: boolean
  /** All values are multiples of it, and are stored divided by it: whole numbers among rates, pages of memory. */
  unit: number
  form: number
  /** Divided by the unit, as is the drift. */
  base: number
  drift: number
  /** Absent with CONSTANT. */
  shares: Shares | undefined
}
