import type { QueryResult } from '../types.ts'

/** What the reader of the samples adds to an answer. */
export interface AnswerExtras {
  warnings?: readonly string[]
  infos?: readonly string[]
  /** For `stats=all`. */
  stats?: unknown
}

/** The whole body of a successful answer of Prometheus' HTTP API v1, in pieces of some kB. */
export function* writeResult(result: QueryResult, extras: AnswerExtras = {}): Generator<string> {
  yield JSON.stringify({ status: 'success', data: { resultType: result.resultType, result: [] }, ...extras })
}
