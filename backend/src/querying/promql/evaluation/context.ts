import { executionError, type PromqlError } from '../model/error.ts'
import type { Steps } from '../planning/plan.ts'
import type { QueryWindow, SeriesData } from '../model/types.ts'
import type { Expr } from '../syntax/ast.ts'
import type { Column } from './columns.ts'
import type { Labels } from './labels.ts'

export type Value =
  | { type: 'vector'; columns: Column[] }
  | { type: 'scalar'; values: Float64Array }
  | { type: 'string'; value: string }

/** What all parts of one evaluation share. */
export interface Evaluation {
  expression: string
  window: QueryWindow
  /** Series of a selector, with sorted labels and without what is stale. */
  seriesOf(id: number): readonly SeriesData[]
  evaluate(expr: Expr, steps: Steps): Value
  vector(expr: Expr, steps: Steps): Column[]
  scalar(expr: Expr, steps: Steps): Float64Array
  /** A column without values yet. It is counted before it is made: throws above the bound of what is held at once. */
  createColumn(labels: Labels, steps: number): Column
  /** Of a column that is not used. */
  release(column: Column): void
  warn(message: string, at: number): void
  inform(message: string, at: number): void
}

/** 256 MiB. */
export const MAX_BYTES = 256 * 1024 * 1024
export const MAX_SAMPLES = 50_000_000
/** Prometheus' own bound of the points of a series. */
export const MAX_POINTS = 11_000

export const tooLarge = (maxBytes = MAX_BYTES): PromqlError =>
  executionError(`query processing would load too many samples into memory: more than ${Math.ceil(maxBytes / 1024 / 1024)} MiB`)

/** How many annotations of one kind an answer shows. */
const MAX_ANNOTATIONS = 10

export function createAnnotations(expression: string) {
  const [warnings, infos] = [new Set<string>(), new Set<string>()]
  const place = (at: number): string => {
    const lines = expression.slice(0, at).split('\n')
    return `${lines.length}:${(lines.at(-1) ?? '').length + 1}`
  }
  const list = (messages: ReadonlySet<string>, kind: string): string[] => {
    const all = [...messages]
    const omitted = all.length - MAX_ANNOTATIONS
    return omitted > 0 ? [...all.slice(0, MAX_ANNOTATIONS), `${omitted} more ${kind} annotations omitted`] : all
  }
  return {
    warn: (message: string, at: number) => void warnings.add(`PromQL warning: ${message} (${place(at)})`),
    inform: (message: string, at: number) => void infos.add(`PromQL info: ${message} (${place(at)})`),
    all: () => ({ warnings: list(warnings, 'warning'), infos: list(infos, 'info') }),
  }
}
