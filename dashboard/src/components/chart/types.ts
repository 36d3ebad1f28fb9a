import type { Band, Mark } from '../../lib/chart-types.ts'

export const DEFAULT_HEIGHT = 170

/** A line of a chart, with a value per step; null is a gap. */
export interface Line {
  label: string
  /** The number of a theme colour. */
  color: 1 | 2 | 3 | 4 | 5 | 6
  values: readonly (number | null)[]
  /** Fills the area below the line. */
  area?: boolean
  /** Thin and pale, for a maximum behind its mean. */
  faint?: boolean
  /** What the legend shows in place of the values: of a stack, the part of this line alone. */
  figures?: readonly (number | null)[]
  /** Covers what is below, for a stack: the largest line first. */
  solid?: boolean
  /** Dashed, for a comparison. */
  dashed?: boolean
  /** The metric of alert rules that it shows. */
  metric?: string
}

export interface ChartProps {
  title: string
  /** The start of the first step, ms. */
  from: number
  stepSeconds: number
  lines: readonly Line[]
  format: (value: number | null | undefined) => string
  /** The smallest value at the top of the axis. */
  atLeast?: number
  /** The largest value at the top of the axis, such as 100 for percentages. */
  atMost?: number
  /** Charts with the same key share their cursor. */
  shared?: string
  onZoom?: ((from: number, to: number) => void) | undefined
  onReset?: (() => void) | undefined
  /** A click without a drag. */
  onPick?: ((at: number) => void) | undefined
  bands?: readonly Band[] | undefined
  marks?: readonly Mark[] | undefined
  /** Values with a dashed line. */
  thresholds?: readonly number[] | undefined
  height?: number
}
