import { type EntityKindName, METRIC_PERIODS } from '@vedette/shared/tables'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Api, pollEvery } from '../../../lib/api.ts'
import { type Range, rangeKey, rangeQuery, refreshMs } from '../../../lib/range.ts'

/** Rows of a list of one kind: the maximum of the API. */
export const PAGE_LIMIT = 100
/** Rows of each of several lists. */
export const FEW = 20
/** Entities are read once per push, about every minute. */
const PUSH_MS = 30_000
const POINTS = 240

export interface ListChoice {
  kind: EntityKindName
  q?: string | undefined
  sort?: string | undefined
  page?: number
  limit: number
}

/** How many entities of each kind a server has or had: which tabs its page has. */
export const countsQuery = ({ organizationId, client }: Api, serverId: string) =>
  queryOptions({
    queryKey: [organizationId, 'servers', serverId, 'entities', 'counts'],
    queryFn: ({ signal }) => client.serverEntities.list(serverId, { include: 'counts', limit: 1 }, { signal }),
    refetchInterval: pollEvery(2 * PUSH_MS),
  })

export const serverEntitiesQuery = (
  { organizationId, client }: Api,
  serverId: string,
  { at, gone, ...choice }: ListChoice & { at?: number | undefined; gone?: boolean | undefined },
) =>
  queryOptions({
    queryKey: [organizationId, 'servers', serverId, 'entities', 'list', choice, at, gone],
    queryFn: ({ signal }) => {
      const when = at === undefined ? (gone ? { present: false } : {}) : { at: new Date(at).toISOString() }
      return client.serverEntities.list(serverId, { ...withoutUndefined(choice), ...when }, { signal })
    },
    placeholderData: keepPreviousData,
    refetchInterval: at === undefined ? pollEvery(PUSH_MS) : false,
  })

export const allEntitiesQuery = ({ organizationId, client }: Api, choice: ListChoice & { tag?: string | undefined }) =>
  queryOptions({
    queryKey: [organizationId, 'entities', choice],
    queryFn: ({ signal }) => client.entities.list(withoutUndefined(choice), { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: pollEvery(PUSH_MS),
  })

export const entityQuery = ({ organizationId, client }: Api, serverId: string, id: string) =>
  queryOptions({
    queryKey: [organizationId, 'servers', serverId, 'entities', id],
    queryFn: ({ signal }) => client.serverEntities.read(serverId, id, { signal }),
    refetchInterval: pollEvery(PUSH_MS),
  })

export const entityMetricsQuery = ({ organizationId, client }: Api, serverId: string, id: string, range: Range) =>
  queryOptions({
    queryKey: [organizationId, 'servers', serverId, 'entities', id, rangeKey(range)],
    queryFn: ({ signal }) =>
      client.serverEntities.metrics(
        serverId,
        id,
        { ...rangeQuery(range, METRIC_PERIODS, Date.now()), points: POINTS },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: pollEvery('period' in range ? Math.max(PUSH_MS, refreshMs(range, POINTS) || 0) : false),
  })

type Defined<Choice> = { [Name in keyof Choice]: Exclude<Choice[Name], undefined> }
const withoutUndefined = <Choice extends object>(choice: Choice) =>
  Object.fromEntries(Object.entries(choice).filter(([, value]) => value !== undefined)) as Defined<Choice>
