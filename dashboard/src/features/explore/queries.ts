import { queryOptions } from '@tanstack/react-query'
import { pollEvery } from '../../lib/api.ts'
import { boundsOf, type Range, rangeKey, refreshMs } from '../../lib/range.ts'
import { type Answer, request, type Caller, type InstantData, type Matrix } from './prometheus.ts'
import { MOST_LINES, MOST_ROWS, type Steps, stepsOf } from './result.ts'

/** What exists changes when something is added. */
const KEPT_MS = 60_000
/** More names of labels and values are not offered. */
const MOST_NAMES = 1_000
const MOST_SELECTORS = 5
const POINTS = 240

const keyOf = ({ organizationId }: Caller, ...rest: unknown[]) => [organizationId, 'explore', ...rest]
/** Of the answers to queries, to stop them. */
export const answersKey = (caller: Caller) => keyOf(caller, 'answer')

/** What was found; nothing where the query for it has a fault. */
async function list<Data>(data: Promise<Answer<Data>>, nothing: Data): Promise<Data> {
  const answer = await data
  return answer.fault === undefined ? answer.data : nothing
}

export const metricsQuery = (caller: Caller) =>
  queryOptions({
    queryKey: keyOf(caller, 'metrics'),
    staleTime: KEPT_MS,
    queryFn: async ({ signal }) => {
      const [names, described] = await Promise.all([
        list(request<string[]>(caller, 'label/__name__/values', [], signal), []),
        list(request<Record<string, { help: string }[]>>(caller, 'metadata', [], signal), {}),
      ])
      return names.map((name) => ({ name, help: described[name]?.[0]?.help ?? '' }))
    },
  })

const selectorsOf = (metrics: readonly string[]) => metrics.slice(0, MOST_SELECTORS).map((name) => ['match[]', name] as const)

export const labelsQuery = (caller: Caller, metrics: readonly string[]) =>
  queryOptions({
    queryKey: keyOf(caller, 'labels', metrics),
    staleTime: KEPT_MS,
    queryFn: async ({ signal }) => {
      const names = await list(request<string[]>(caller, 'labels', [...selectorsOf(metrics), ['limit', MOST_NAMES]], signal), [])
      return names.filter((name) => name !== '__name__')
    },
  })

export const valuesQuery = (caller: Caller, metrics: readonly string[], label: string) =>
  queryOptions({
    queryKey: keyOf(caller, 'values', metrics, label),
    staleTime: KEPT_MS,
    queryFn: ({ signal }) =>
      list(request<string[]>(caller, `label/${label}/values`, [...selectorsOf(metrics), ['limit', MOST_NAMES]], signal), []),
  })

export type Drawn = Answer<Matrix> & { steps: Steps }

/** What is on display stays while another range is read. */
const ofSameQuery =
  (query: string) =>
  <Data>(previous: Data | undefined, before: { queryKey: readonly unknown[] } | undefined): Data | undefined =>
    before?.queryKey[3] === query ? previous : undefined

/** Neither what was stopped nor what is wrong is requested again by itself. */
const polled =
  (range: Range) =>
  ({ state }: { state: { data: unknown; error: unknown } }): number | false => {
    const answer = state.data as Answer<unknown> | undefined
    return answer !== undefined && answer.fault === undefined && pollEvery(refreshMs(range, POINTS))({ state })
  }

/** The values over the range, of one series more than are drawn. */
export const rangeAnswerQuery = (caller: Caller, query: string, range: Range) =>
  queryOptions({
    queryKey: [...answersKey(caller), query, 'range', rangeKey(range)],
    placeholderData: ofSameQuery(query),
    refetchInterval: polled(range),
    queryFn: async ({ signal }): Promise<Drawn> => {
      const steps = stepsOf(range, Date.now())
      const { fromMs, toMs, stepSeconds } = steps
      const times = [
        ['start', fromMs / 1_000],
        ['end', toMs / 1_000],
        ['step', stepSeconds],
      ] as const
      const answer = await request<Matrix>(caller, 'query_range', [['query', query], ...times, ['limit', MOST_LINES + 1]], signal)
      return { ...answer, steps }
    },
  })

/** The values at the end of the range, of one series more than are listed. */
export const instantAnswerQuery = (caller: Caller, query: string, range: Range) =>
  queryOptions({
    queryKey: [...answersKey(caller), query, 'instant', rangeKey(range)],
    placeholderData: ofSameQuery(query),
    refetchInterval: polled(range),
    queryFn: ({ signal }) => {
      const at = boundsOf(range, Date.now()).to / 1_000
      return request<InstantData>(
        caller,
        'query',
        [
          ['query', query],
          ['time', at],
          ['limit', MOST_ROWS + 1],
        ],
        signal,
      )
    },
  })
