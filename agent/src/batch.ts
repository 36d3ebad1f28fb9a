import type { BatchBody, MetricGroup, SampleColumnsBody, SampleValues } from '@vedette/shared'
import { MAX_BATCH_SPAN_MS, MAX_SAMPLES_PER_BATCH } from '@vedette/shared/metrics/limits'
import type { QueuedBatch } from './queue.ts'
import type { Reading } from './samplers/sampler.ts'

/** One sample and the instant it belongs to, ms since the epoch. */
export interface TimedSample {
  atMs: number
  values: SampleValues
}

const GROUPS: readonly MetricGroup[] = ['cpu', 'memory', 'disk', 'network', 'tcp']

/** Samples by columns: a field that any sample has is a column, null where a sample lacks it. */
export function toColumns(samples: readonly TimedSample[]): SampleColumnsBody {
  const columns: SampleColumnsBody = { at_ms: samples.map((sample) => sample.atMs) }
  for (const group of GROUPS) {
    const fields: Record<string, (number | null)[]> = {}
    samples.forEach((sample, index) => {
      for (const [name, value] of Object.entries<number | null>(sample.values[group] ?? {})) {
        fields[name] ??= samples.map(() => null)
        fields[name][index] = value
      }
    })
    if (Object.keys(fields).length > 0) columns[group] = fields
  }
  return columns
}

/** Cuts samples where a batch would hold too many or span too long. */
export function cutSamples(samples: readonly TimedSample[]): TimedSample[][] {
  const parts: TimedSample[][] = []
  let part: TimedSample[] = []
  let firstMs = 0
  let lastMs = 0
  for (const sample of samples) {
    const first = part.length === 0 ? sample.atMs : Math.min(firstMs, sample.atMs)
    const last = part.length === 0 ? sample.atMs : Math.max(lastMs, sample.atMs)
    if (part.length === MAX_SAMPLES_PER_BATCH || last - first >= MAX_BATCH_SPAN_MS) {
      parts.push(part)
      part = [sample]
      firstMs = lastMs = sample.atMs
      continue
    }
    part.push(sample)
    firstMs = first
    lastMs = last
  }
  if (part.length > 0) parts.push(part)
  return parts
}

/** Forms one batch for good. `newest` gives the state that is told once per batch. */
export function formBatch(
  id: string,
  sentAtMs: number,
  agentVersion: string,
  samples: readonly TimedSample[],
  newest: Pick<Reading, 'filesystems' | 'interfaces'>,
): QueuedBatch {
  const body: BatchBody = {
    batch_id: id,
    sent_at: new Date(sentAtMs).toISOString(),
    agent_version: agentVersion,
    columns: toColumns(samples),
    ...(newest.filesystems && { filesystems: newest.filesystems }),
    ...(newest.interfaces && { interfaces: newest.interfaces }),
  }
  return { id, bytes: Buffer.from(JSON.stringify(body)), samples: samples.length }
}
