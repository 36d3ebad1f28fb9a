import { hash } from 'node:crypto'
import { HOUR_MS, type Plan, PLANS } from '@vedette/shared'
import { createRequestBatcher } from '../../../platform/concurrency/request-batcher.ts'
import type { Pool } from '../../../platform/db/index.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { LabelSet, Received } from '../decoding/index.ts'
import { encodePushed } from '../storage/pushed.ts'
import { insertPushed, type PushedSeries } from '../storage/push-store.ts'
import type { Samples } from '../storage/samples.ts'
import { acceptSamples } from './accept.ts'
import { createFamilyRecorder } from './families.ts'
import { createSeriesRegistry, type KnownSeries } from './known-series.ts'

/** Rows in one statement. */
const STORE_AT_ONCE = 200

export interface Outcome {
  /** Samples that are stored, now or before. */
  written: number
  /** Points that are not, and why. `isFault`: the sender can do something about it. */
  refused: { reason: string; points: number; isFault: boolean }[]
  /** New series beyond the bound, by name; `limit` is the bound. */
  overLimit: { limit: number; names: [name: string, series: number][] } | undefined
}

export interface SeriesIngest {
  /** Resolves once everything that is not refused is committed. `exportPath`: the organizations whose exports it came through. */
  submit(organization: number, plan: Plan, received: Received, exportPath?: string): Promise<Outcome>
}

export function createSeriesIngest(pool: Pick<Pool, 'db' | 'queryNamed'>, clock: Clock, mostActive: number): SeriesIngest {
  const registry = createSeriesRegistry(pool.db)
  const families = createFamilyRecorder(pool.db)
  const store = createRequestBatcher(async (rows: readonly PushedSeries[]) => {
    await insertPushed(pool, rows, clock.now())
    return rows
  }, STORE_AT_ONCE)

  return {
    submit: async (organization, plan, received, exportPath = '') => {
      const nowMs = clock.now()
      const limit = Math.min(mostActive, PLANS[plan].activeSeries ?? mostActive)
      const accepted = acceptSamples(received.series, nowMs)
      const first = new Map([...accepted.samples].map(([set, { atMs }]) => [set, Math.min(...atMs)]))
      const { known, refused: names } = await registry.resolve(organization, first, limit, nowMs)
      let [written, overLimit] = [0, 0]
      for (const [set, samples] of accepted.samples)
        if (known.has(set)) written += samples.atMs.length
        else overLimit += samples.atMs.length
      const rows = rowsOf({ organization, exportPath }, accepted.samples, known)
      await Promise.all([...rows.map(store), families.record(organization, received, limit)])
      return {
        written,
        refused: [
          ...received.refused.map((one) => ({ ...one, isFault: false })),
          ...accepted.refused.map((one) => ({ ...one, isFault: true })),
          ...(overLimit > 0
            ? [{ reason: `of new series: at most ${limit} may be active`, points: overLimit, isFault: true }]
            : []),
        ],
        overLimit: names.size > 0 ? { limit, names: [...names].sort(([, one], [, other]) => other - one) } : undefined,
      }
    },
  }
}

/** A row for each target and hour. */
function rowsOf(
  of: Pick<PushedSeries, 'organization' | 'exportPath'>,
  accepted: ReadonlyMap<LabelSet, Samples>,
  known: ReadonlyMap<LabelSet, KnownSeries>,
): PushedSeries[] {
  const rows = new Map<string, { target: number; series: { number: number; samples: Samples }[] }>()
  for (const [set, samples] of accepted) {
    const series = known.get(set)
    if (!series) continue
    for (const part of byHour(samples)) {
      const key = `${series.target}/${hourOf(part.atMs[0] as number)}`
      const row = rows.get(key) ?? { target: series.target, series: [] }
      if (row.series.length === 0) rows.set(key, row)
      row.series.push({ number: series.number, samples: part })
    }
  }
  return [...rows.values()].map(({ target, series }) => {
    const data = encodePushed(series)
    let [t0, tLast] = [Number.POSITIVE_INFINITY, 0]
    for (const { samples } of series)
      for (const at of samples.atMs) {
        if (at < t0) t0 = at
        if (at > tLast) tLast = at
      }
    return { ...of, target, t0, tLast, digest: hash('sha256', data, 'buffer').subarray(0, 8), data }
  })
}

const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS)

/** Nearly always all of them are of one hour. */
function byHour({ atMs, values }: Samples): Samples[] {
  const parts: Samples[] = []
  for (let from = 0, to = 0; from < atMs.length; from = to) {
    const hour = hourOf(atMs[from] as number)
    while (to < atMs.length && hourOf(atMs[to] as number) === hour) to += 1
    parts.push({ atMs: atMs.subarray(from, to), values: values.subarray(from, to) })
  }
  return parts
}
