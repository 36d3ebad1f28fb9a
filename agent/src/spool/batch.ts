import type { BatchBody, MetricGroup, SampleColumnsBody } from '@vedette/shared'
import { encodeBinaryBatch, encodeBinaryPush } from '@vedette/shared/metrics/binary-push'
import { type SampleColumns, toScaled } from '@vedette/shared/metrics/block'
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

/** A backend says in its answers whether it takes the binary form. */
export type PushForm = 'json' | 'binary'

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

/** The same for the binary form: by ascending instant, and of several samples at one instant the first, which is what a backend stores. */
export function toBlockColumns(samples: readonly TimedSample[]): SampleColumns {
  const ascending = samples.toSorted((one, other) => one.atMs - other.atMs)
  const unique = ascending.filter(({ atMs }, index) => index === 0 || atMs !== ascending[index - 1]?.atMs)
  const columns = FIELDS_BY_ID.flatMap((field) => {
    const values = unique.map((sample) => valueOf(sample, field.group, field.name))
    return values.some((value) => value !== null) ? [{ field, values }] : []
  })
  return {
    atMs: Float64Array.from(unique, ({ atMs }) => atMs),
    fieldIds: columns.map(({ field }) => field.id),
    values: Float64Array.from(
      columns.flatMap(({ field, values }) => values.map((value) => (value === null ? Number.NaN : toScaled(value, field)))),
    ),
  }
}

const FIELDS_BY_ID = ALL_FIELDS.toSorted((one, other) => one.id - other.id)

export function encodeBatch(header: BatchHeader, samples: readonly TimedSample[], form: PushForm = 'json'): Buffer {
  const { first: _first, last: _last, batch_id, sent_at, agent_version, ...state } = header
  const head = { batch_id, sent_at, agent_version }
  if (form === 'binary') return encodeBinaryBatch({ ...head, ...state }, toBlockColumns(samples))
  const body: BatchBody = { ...head, columns: toColumns(samples), ...state }
  return Buffer.from(JSON.stringify(body))
}

/** The body of a push request; the bytes of the batches, all of this form, are copied unchanged. */
export function pushBody(
  batches: readonly Pick<QueuedBatch, 'bytes'>[],
  bootId: string | undefined,
  form: PushForm = 'json',
): Buffer {
  const bytes = batches.map((batch) => batch.bytes)
  if (form === 'binary') return encodeBinaryPush(bootId === undefined ? {} : { boot_id: bootId }, bytes)
  const head = Buffer.from(`{${bootId === undefined ? '' : `"boot_id":${JSON.stringify(bootId)},`}"batches":[`)
  const pieces = bytes.flatMap((batch, index) => (index > 0 ? [COMMA, batch] : [batch]))
  return Buffer.concat([head, ...pieces, Buffer.from(']}')])
}

const COMMA = Buffer.from(',')
