import { type AnswerExtras, writeResult } from '../answer/write.ts'
import { PromqlError, type PromqlErrorKind } from '../model/error.ts'
import { MAX_BYTES, tooLarge } from '../evaluation/context.ts'
import { evaluate } from '../evaluation/evaluate.ts'
import type { Bounds, QueryPlan, QueryResult, SeriesData } from '../model/types.ts'

export interface QueryQuestion {
  plan: QueryPlan
  data: ReadonlyMap<number, readonly SeriesData[]>
  bounds: Bounds
  extras: AnswerExtras
}

export interface EvaluatedAnswer {
  /** The body of the answer in pieces, UTF-8. */
  body: Uint8Array[]
  samplesRead: number
}

/** An error's class is lost between threads. */
export type QueryAnswer = EvaluatedAnswer | { kind: PromqlErrorKind; message: string; position: number | undefined }

function limited(result: QueryResult, limit: number | undefined): QueryResult {
  if (limit === undefined || !('series' in result) || result.series.length <= limit) return result
  return { ...result, series: result.series.slice(0, limit), warnings: [...result.warnings, 'results truncated due to limit'] }
}

export function answerQuery({ plan, data, bounds, extras }: QueryQuestion): QueryAnswer {
  try {
    const result = limited(evaluate(plan, data, bounds), bounds.limit)
    const encoder = new TextEncoder()
    const body: Uint8Array[] = []
    let bytes = 0
    for (const piece of writeResult(result, extras)) {
      const encoded = encoder.encode(piece)
      bytes += encoded.byteLength
      if (bytes > MAX_BYTES) throw tooLarge()
      body.push(encoded)
    }
    return { body, samplesRead: result.samplesRead }
  } catch (error) {
    // What cannot be allocated is a RangeError.
    const known = error instanceof PromqlError ? error : error instanceof RangeError ? tooLarge() : undefined
    if (!known) throw error
    return { kind: known.kind, message: known.message, position: known.position }
  }
}
