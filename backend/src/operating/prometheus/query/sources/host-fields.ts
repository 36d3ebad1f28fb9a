import { DAY_MS } from '@vedette/shared/durations'
import { oldestRawMs, type Plan } from '@vedette/shared'
import {
  createSampleReader,
  type FieldQuestion,
  type FieldSamples,
  type FoundFields,
  readMeans,
  readSingle,
} from '../../../../hosts/metrics/index.ts'
import { requireWithinBounds } from './bounds.ts'
import type { Scope, Wanted } from './source.ts'

/** A step from here on, over more than a day, is answered by means. */
const MEANS_FROM_STEP_MS = 300_000

export interface FieldDeps {
  /** How long samples are kept one by one. */
  rawRetentionMs: number
  sampleIntervalSeconds: number
}

export interface WantedFields extends Omit<FieldQuestion, 'organization' | 'window'> {
  /** How many series come of it. */
  series: number
}

export type ReadFields = (
  scope: Scope,
  wanted: Wanted,
  fields: WantedFields,
) => Promise<{ byServer: FoundFields; hasMeans: boolean }>

/** Before what is kept one by one the means, and over long times with long steps the means alone. Throws PromqlError. */
export function createFieldReader({ rawRetentionMs, sampleIntervalSeconds }: FieldDeps): ReadFields {
  const samples = createSampleReader()
  return async ({ from, organization, plan, nowMs }, { stepMs, rangeMs, instants, ...given }, { series, ...fields }) => {
    const [fromMs, toMs] = [given.fromMs + 1, given.toMs + 1]
    const prefersMeans = stepMs >= MEANS_FROM_STEP_MS && rangeMs === undefined && toMs - fromMs > DAY_MS
    const borderMs = singleFromMs(plan, nowMs, rawRetentionMs)
    const splitMs = prefersMeans ? toMs : Math.min(Math.max(fromMs, borderMs), toMs)
    const count = (toMs - splitMs) / (sampleIntervalSeconds * 1_000) + (splitMs - fromMs) / MEANS_FROM_STEP_MS
    requireWithinBounds({ series, samples: Math.round(series * count) })
    const question = { organization, ...fields }
    const [before, since] = await Promise.all([
      splitMs > fromMs ? readMeans(from, samples, { ...question, window: { fromMs, toMs: splitMs }, instants }) : undefined,
      splitMs < toMs ? readSingle(from, samples, { ...question, window: { fromMs: splitMs, toMs } }) : undefined,
    ])
    const byServer = before && since ? joined(before, since) : (before ?? since ?? new Map())
    return { byServer, hasMeans: before !== undefined }
  }
}

/** From here on samples are there one by one, and may be read so. */
function singleFromMs(plan: Plan, nowMs: number, rawRetentionMs: number): number {
  return Math.floor(Math.max(oldestRawMs(plan, nowMs), nowMs - rawRetentionMs) / DAY_MS) * DAY_MS
}

function joined(before: FoundFields, since: FoundFields): FoundFields {
  const servers = new Set([...before.keys(), ...since.keys()])
  return new Map(
    [...servers].map((server) => {
      const [one, other] = [before.get(server), since.get(server)]
      const ids = new Set([...(one?.keys() ?? []), ...(other?.keys() ?? [])])
      return [server, new Map([...ids].map((id) => [id, after(one?.get(id), other?.get(id))]))]
    }),
  )
}

function after(one: FieldSamples | undefined, other: FieldSamples | undefined): FieldSamples {
  if (!one || !other) return (one ?? other) as FieldSamples
  const both = (part: keyof FieldSamples) => Float64Array.from([...one[part], ...other[part]])
  return { atMs: both('atMs'), values: both('values'), maxima: both('maxima') }
}
