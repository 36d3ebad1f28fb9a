import { MAX_RULE_SERIES } from '@vedette/shared'
import { idOfText } from '../../../platform/ids.ts'

export type Labels = Readonly<Record<string, string>>

/** Of an answer. */
export interface QueriedSeries {
  labels: Labels
  points: readonly { atMs: number; value: number }[]
}

/** Asks for the series of an organization as the query API does. Throws PromqlError. */
export type QuerySeries = (
  organization: number,
  query: { expression: string; startMs: number; endMs: number; stepMs: number; limit: number },
  signal: AbortSignal,
) => Promise<QueriedSeries[]>

/** A series in the answer of a rule's expression. */
export interface FiringSeries {
  /** By its labels without the name: the same in every answer and for every rule. */
  id: string
  /** With the name. */
  labels: Labels
  value: number
}

const NAME = '__name__'
const MAX_TEXT_LENGTH = 300

export function seriesId(labels: Labels): string {
  const own = Object.entries(labels).filter(([label]) => label !== NAME)
  return idOfText(JSON.stringify(own.toSorted(byLabel)))
}

const byLabel = ([one]: [string, string], [other]: [string, string]): number => (one < other ? -1 : 1)

/** `up{instance="a:9100", job="api"}`; without the name what it is known by. Empty where it has no labels. Pure. */
export function seriesText(labels: Labels, { withName }: { withName: boolean }): string {
  const own = Object.entries(labels).filter(([label]) => label !== NAME)
  const written = own.toSorted(byLabel).map(([label, text]) => `${label}=${JSON.stringify(text)}`)
  const text = `${withName ? (labels[NAME] ?? '') : ''}${written.length === 0 ? '' : `{${written.join(', ')}}`}`
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH - 1)}…` : text
}

/** With six digits; PromQL's `NaN` and `+Inf` as they are. Pure. */
export function valueText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  return Number.isFinite(value) ? String(Number(value.toPrecision(6))) : value > 0 ? '+Inf' : '-Inf'
}

/** The series of an answer by their ids, or in words why a rule cannot be evaluated on it. Pure. */
export function readAnswer(answer: readonly QueriedSeries[]): Map<string, FiringSeries> | string {
  if (answer.length > MAX_RULE_SERIES)
    return `the expression gives more than ${MAX_RULE_SERIES} series, and each would be an incident: group them, as in sum by (instance) (…)`
  const series = answer.map(({ labels, points }) => ({ id: seriesId(labels), labels, value: points[0]?.value ?? Number.NaN }))
  const byId = new Map(series.map((one) => [one.id, one]))
  if (byId.size === series.length) return byId
  const repeated = series.find((one) => byId.get(one.id) !== one) as FiringSeries
  return `the expression gives several series with the labels ${seriesText(repeated.labels, { withName: false }) || '{}'}, which differ by name only: their incidents could not be distinguished`
}
