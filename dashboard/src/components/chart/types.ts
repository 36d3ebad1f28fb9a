/** A line of a chart. Values are as many as there are steps; null is a gap. */
export interface Line {
  label: string
  /** A colour of the theme by its number. */
  color: 1 | 2 | 3 | 4 | 5 | 6
  values: readonly (number | null)[]
  /** Fills the area below. */
  area?: boolean
  /** Thin and pale: a maximum behind its mean. */
  faint?: boolean
}

export interface ChartProps {
  title: string
  /** Where the first step begins, in ms. */
  from: number
  stepSeconds: number
  lines: readonly Line[]
  format: (value: number | null | undefined) => string
  /** The least that the height stands for. */
  atLeast?: number
  /** The most, where there is one: a share ends at 100. */
  atMost?: number
  /** Charts of one key share their cursor. */
  shared?: string
  onZoom?: ((from: number, to: number) => void) | undefined
  onReset?: (() => void) | undefined
  /** A click without a drag. */
  onPick?: ((at: number) => void) | undefined
  height?: number
}
