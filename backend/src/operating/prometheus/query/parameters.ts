import { MAX_TIMEOUT_MS, parseDuration, PromqlError } from '../../../querying/promql/index.ts'

/** What a request says, in its address and, of a form, in its body. Names that are not known are ignored, as Prometheus does. */
export type Parameters = URLSearchParams

export const MAX_POINTS = 11_000
/** Of one series, as Prometheus. */
const DEFAULT_LOOKBACK_MS = 300_000
const MAX_QUERY_LENGTH = 65_536
const MAX_SELECTORS = 32

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
/** As dates of JavaScript. */
const FURTHEST_MS = 8.64e15

const refuse = (name: string, what: string): PromqlError => new PromqlError('bad_data', `invalid parameter "${name}": ${what}`)
const shown = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)

/** Whole ms. Undefined where it is neither seconds nor RFC 3339. */
function parseInstant(text: string): number | undefined {
  const ms = NUMBER.test(text) ? Math.round(Number(text) * 1_000) : text.includes('T') ? Date.parse(text) : Number.NaN
  return Math.abs(ms) <= FURTHEST_MS ? ms : undefined
}

/** ms. Undefined where it is neither seconds nor as `1h30m`. */
const msOf = (text: string): number | undefined => (NUMBER.test(text) ? Number(text) * 1_000 : parseDuration(text))

export function instantOf(parameters: Parameters, name: string, otherwise: number): number {
  const text = parameters.get(name) ?? ''
  if (text === '') return otherwise
  const ms = parseInstant(text)
  if (ms === undefined) throw refuse(name, `cannot parse ${shown(text)} to a valid timestamp`)
  return ms
}

function durationOf(parameters: Parameters, name: string): number | undefined {
  const text = parameters.get(name) ?? ''
  if (text === '') return undefined
  const ms = msOf(text)
  if (ms === undefined || !Number.isFinite(ms)) throw refuse(name, `cannot parse ${shown(text)} to a valid duration`)
  return ms
}

export function queryOf(parameters: Parameters): string {
  const query = parameters.get('query') ?? ''
  if (query.trim() === '') throw refuse('query', 'no expression')
  if (query.length > MAX_QUERY_LENGTH) throw refuse('query', `has more than ${MAX_QUERY_LENGTH} characters`)
  return query
}

/** At most `MAX_TIMEOUT_MS`. */
export function timeoutOf(parameters: Parameters): number {
  const ms = durationOf(parameters, 'timeout') ?? MAX_TIMEOUT_MS
  if (ms <= 0) throw refuse('timeout', 'must be more than 0 s')
  return Math.min(ms, MAX_TIMEOUT_MS)
}

/** Undefined where the request leaves it to what is known of each series. */
export function lookbackOf(parameters: Parameters): number | undefined {
  const ms = durationOf(parameters, 'lookback_delta')
  if (ms !== undefined && ms <= 0) throw refuse('lookback_delta', 'must be more than 0 s')
  return ms
}

export const lookbackOrDefault = (ms: number | undefined): number => ms ?? DEFAULT_LOOKBACK_MS

/** How many series are answered; undefined: all. */
export function limitOf(parameters: Parameters): number | undefined {
  const text = parameters.get('limit') ?? ''
  if (text === '') return undefined
  if (!/^\d{1,9}$/.test(text)) throw refuse('limit', 'limit must be a whole number from 0 to 999,999,999')
  return Number(text) === 0 ? undefined : Number(text)
}

export interface Range {
  startMs: number
  endMs: number
  stepMs: number
}

export function rangeOf(parameters: Parameters): Range {
  for (const name of ['start', 'end', 'step']) if (!parameters.get(name)) throw refuse(name, 'is missing')
  const startMs = instantOf(parameters, 'start', 0)
  const endMs = instantOf(parameters, 'end', 0)
  if (endMs < startMs) throw refuse('end', 'end timestamp must not be before start time')
  const stepMs = Math.round(durationOf(parameters, 'step') ?? 0)
  if (stepMs <= 0) throw refuse('step', 'zero or negative query resolution step widths are not accepted. Try a positive integer')
  if ((endMs - startMs) / stepMs > MAX_POINTS)
    throw new PromqlError(
      'bad_data',
      'exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)',
    )
  return { startMs, endMs, stepMs }
}

export function selectorsOf(parameters: Parameters): string[] {
  const all = parameters.getAll('match[]')
  if (all.length > MAX_SELECTORS) throw refuse('match[]', `there are more than ${MAX_SELECTORS} of them`)
  return all
}
