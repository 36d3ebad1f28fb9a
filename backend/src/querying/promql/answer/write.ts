import type { QueryResult, ResultSeries } from '../model/types.ts'
import { formatInstant, formatNumber } from '../model/numbers.ts'

/** What the reader of the samples adds to an answer. */
export interface AnswerExtras {
  warnings?: readonly string[]
  infos?: readonly string[]
  /** For `stats=all`. */
  stats?: unknown
}

/** Of a piece, in characters. */
const PIECE_LENGTH = 65_536

/** The whole body of a successful answer of Prometheus' HTTP API v1, in pieces of some kB. */
export function* writeResult(result: QueryResult, extras: AnswerExtras = {}): Generator<string> {
  let piece = ''
  for (const part of partsOf(result, extras)) {
    piece += part
    if (piece.length < PIECE_LENGTH) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}

function* partsOf(result: QueryResult, extras: AnswerExtras): Generator<string> {
  yield `{"status":"success","data":{"resultType":"${result.resultType}","result":`
  if (result.resultType === 'string') yield `[${formatInstant(result.atMs)},${JSON.stringify(result.value)}]`
  else if (result.resultType === 'scalar') yield point(result.atMs, result.value)
  else {
    yield '['
    yield* seriesOf(result)
    yield ']'
  }
  if (extras.stats !== undefined) yield `,"stats":${JSON.stringify(extras.stats)}`
  yield '}'
  for (const kind of ['warnings', 'infos'] as const) {
    const messages = [...(extras[kind] ?? []), ...result[kind]]
    if (messages.length > 0) yield `,"${kind}":${JSON.stringify(messages)}`
  }
  yield '}'
}

function* seriesOf(result: Extract<QueryResult, { resultType: 'vector' | 'matrix' }>): Generator<string> {
  let comma = ''
  if ('samples' in result)
    for (const { labels, atMs, values } of result.samples) {
      yield `${comma}{"metric":${JSON.stringify(labels)},"values":[`
      for (let index = 0; index < atMs.length; index++)
        yield (index > 0 ? ',' : '') + point(atMs[index] ?? NaN, values[index] ?? NaN)
      yield ']}'
      comma = ','
    }
  else
    for (const series of result.series) {
      yield `${comma}{"metric":${JSON.stringify(series.labels)},`
      if (result.resultType === 'vector') yield `"value":${point(result.atMs, series.values[0] ?? NaN)}`
      else yield* pointsOf(series, result.startMs, result.stepMs)
      yield '}'
      comma = ','
    }
}

function* pointsOf({ values, present }: ResultSeries, startMs: number, stepMs: number): Generator<string> {
  let text = '"values":['
  let comma = ''
  for (let step = 0; step < present.length; step++) {
    if (present[step] === 0) continue
    text += comma + point(startMs + step * stepMs, values[step] ?? NaN)
    comma = ','
  }
  yield `${text}]`
}

const point = (atMs: number, value: number): string => `[${formatInstant(atMs)},"${formatNumber(value)}"]`
