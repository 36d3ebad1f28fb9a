import type { Reader } from '../../../platform/db/index.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { type EvaluatorPool, MAX_TIMEOUT_MS } from '../../../querying/promql/index.ts'
import { type Catalogue, createCatalogue } from './catalogue.ts'
import { answerQuery } from './service.ts'
import { entitiesSource } from './sources/entities-source.ts'
import { heartbeatsSource } from './sources/heartbeats-source.ts'
import { hostsSource, type HostSourceDeps } from './sources/hosts-source.ts'
import { incidentsSource } from './sources/incidents-source.ts'
import { monitorsSource } from './sources/monitors-source.ts'
import { seriesSource } from './sources/series-source.ts'
import { slosSource } from './sources/slos-source.ts'

export interface SourceDeps extends HostSourceDeps {
  /** How long anything is kept, at most. */
  retentionMs: number
}

/** Everything that is stored. */
export const createSources = (deps: SourceDeps): Catalogue =>
  createCatalogue(
    [
      hostsSource(deps),
      entitiesSource(deps),
      monitorsSource(),
      heartbeatsSource(),
      incidentsSource(),
      slosSource(),
      seriesSource(),
    ],
    deps.retentionMs,
  )

export interface QueriesDeps extends SourceDeps {
  reader: Reader
  clock: Clock
  evaluators: EvaluatorPool
}

/** The points of one series of an answer, in order of time. */
export interface QueriedSeries {
  labels: Record<string, string>
  points: { atMs: number; value: number }[]
}

export interface SeriesQuery {
  expression: string
  startMs: number
  endMs: number
  /** 0: at one instant. */
  stepMs: number
  /** Series in the answer; the others are left out. */
  limit: number
}

/** The series that an expression gives in an organization, with the bounds of the query API. Throws PromqlError. */
export type QuerySeries = (organization: number, query: SeriesQuery, signal: AbortSignal) => Promise<QueriedSeries[]>

/** Asks as the query API does, within the process. */
export function createSeriesQueries(deps: QueriesDeps): QuerySeries {
  const context = { ...deps, pool: deps.evaluators, catalogue: createSources(deps) }
  return async (organization, query, signal) => {
    const question = { ...query, lookbackMs: undefined, timeoutMs: MAX_TIMEOUT_MS, withStats: false }
    return toSeries(await answerQuery(context, organization, question, signal))
  }
}

type Point = [seconds: number, value: string]

function toSeries(answer: Buffer): QueriedSeries[] {
  const { data } = JSON.parse(answer.toString()) as {
    data: { result: { metric: Record<string, string>; value?: Point; values?: Point[] }[] }
  }
  return data.result.map(({ metric, value, values }) => ({
    labels: metric,
    points: (values ?? (value ? [value] : [])).map(([seconds, text]) => ({
      atMs: Math.round(seconds * 1_000),
      value: toNumber(text),
    })),
  }))
}

const INFINITE: Readonly<Record<string, number>> = { '+Inf': Number.POSITIVE_INFINITY, '-Inf': Number.NEGATIVE_INFINITY }
const toNumber = (text: string): number => INFINITE[text] ?? Number(text)
