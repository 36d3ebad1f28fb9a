import type { BatchBody, MetricGroup, SampleColumnsBody } from '@vedette/shared'
import { ALL_FIELDS } from '@vedette/shared/metrics/fields'
import type { TimedSample } from './sample-codec.ts'
import type { BatchHeader, PendingBatch, Segment } from './segment.ts'

/** A batch encoded for the request, the same bytes at every attempt, and where the spool stores it. */
export interface QueuedBatch {
  bytes: Buffer
  samples: number
  /** Instant of its latest sample. */
  newestAtMs: number
  segment: Segment
  pending: PendingBatch
}

/** Reserved in a request for everything except the batches. */
export const ENVELOPE_BYTES = 1_024

/** Samples by columns in the order of `ALL_FIELDS`: one column for each field that any sample has, null where a sample has none. */
export function toColumns(samples: readonly TimedSample[]): SampleColumnsBody {
  const columns: SampleColumnsBody = { at_ms: samples.map((sample) => sample.atMs) }
  for (const { group, name } of ALL_FIELDS) {
    const values = samples.map((sample) => valueOf(sample, group, name))
    if (values.some((value) => value !== null)) (columns[group] ??= {})[name] = values
  }
  return columns
}

function valueOf({ values }: TimedSample, group: MetricGroup, name: string): number | null {
  return (values[group] as Record<string, number | null> | undefined)?.[name] ?? null
}

export function encodeBatch(header: BatchHeader, samples: readonly TimedSample[]): Buffer {
  const { first: _first, last: _last, batch_id, sent_at, agent_version, ...state } = header
  const body: BatchBody = { batch_id, sent_at, agent_version, columns: toColumns(samples), ...state }
  return Buffer.from(JSON.stringify(body))
}

/** The body of a push request; the bytes of the batches are copied unchanged. */
export function pushBody(batches: readonly Pick<QueuedBatch, 'bytes'>[], bootId: string | undefined): Buffer {
  const pieces: Buffer[] = [Buffer.from(`{${bootId === undefined ? '' : `"boot_id":${JSON.stringify(bootId)},`}"batches":[`)]
  batches.forEach((batch, index) => {
    if (index > 0) pieces.push(Buffer.from(','))
    pieces.push(batch.bytes)
  })
  pieces.push(Buffer.from(']}'))
  return Buffer.concat(pieces)
}
