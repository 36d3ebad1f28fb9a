import type { BatchBody, MetricGroup, SampleColumnsBody } from '@vedette/shared'
import { ALL_FIELDS } from '@vedette/shared/metrics/fields'
import type { TimedSample } from './sample-codec.ts'
import type { Cut, Entry, Segment } from './segment.ts'

/** A batch in the bytes that go out, the same at every try, and the place that it is kept at. */
export interface QueuedBatch {
  bytes: Buffer
  samples: number
  segment: Segment
  entry: Entry
}

/** Left of a request's bound for what stands around the batches. */
export const ENVELOPE_BYTES = 1_024

/** Samples by columns, in the order of the table of fields: a field that any sample has is a column, null where a sample lacks it. */
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

export function formBatch({ first: _first, last: _last, ...cut }: Cut, samples: readonly TimedSample[]): Buffer {
  const { batch_id, sent_at, agent_version, ...state } = cut
  const body: BatchBody = { batch_id, sent_at, agent_version, columns: toColumns(samples), ...state }
  return Buffer.from(JSON.stringify(body))
}

/** The request that carries the batches, whose bytes go in as they are. */
export function pushBody(batches: readonly Pick<QueuedBatch, 'bytes'>[], bootId: string | undefined): Buffer {
  const pieces: Buffer[] = [Buffer.from(`{${bootId === undefined ? '' : `"boot_id":${JSON.stringify(bootId)},`}"batches":[`)]
  batches.forEach((batch, index) => {
    if (index > 0) pieces.push(Buffer.from(','))
    pieces.push(batch.bytes)
  })
  pieces.push(Buffer.from(']}'))
  return Buffer.concat(pieces)
}
