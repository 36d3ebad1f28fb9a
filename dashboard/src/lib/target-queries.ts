import type { AlertRule, AlertTarget, Annotation, IncidentItem, MaintenanceWindow } from '@vedette/shared'
import { queryOptions } from '@tanstack/react-query'
import { type Api, pollEvery } from './api.ts'
import { boundsOf, type Range, rangeKey } from './range.ts'

/** A monitor or server, for what is set up for it. */
export interface AlertSubject {
  type: AlertTarget['type']
  id: string
  tags: readonly string[]
}

/** Of a page of the API. */
const MOST = 100

/** The incidents of a target that were open in a range, the newest first. */
export const targetIncidentsQuery = ({ organizationId, client }: Api, id: string, range: Range) =>
  queryOptions({
    queryKey: [organizationId, 'incidents', 'list', 'of', id, rangeKey(range)],
    queryFn: async ({ signal }): Promise<IncidentItem[]> => {
      const { from, to } = boundsOf(range, Date.now())
      const times = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
      return (await client.incidents.list({ target: id, limit: MOST, ...times }, { signal })).incidents
    },
    refetchInterval: pollEvery('period' in range ? 60_000 : false, 300_000),
  })

/** What happened in a range, the newest first. */
export const annotationsQuery = ({ organizationId, client }: Api, range: Range) =>
  queryOptions({
    queryKey: [organizationId, 'annotations', rangeKey(range)],
    queryFn: async ({ signal }): Promise<Annotation[]> => {
      const { from, to } = boundsOf(range, Date.now())
      const times = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
      return (await client.annotations.list({ limit: MOST, ...times }, { signal })).annotations
    },
    refetchInterval: pollEvery('period' in range ? 60_000 : false),
  })

/** The open incidents of a target, the most severe first. */
export const openIncidentsQuery = ({ organizationId, client }: Api, id: string) =>
  queryOptions({
    queryKey: [organizationId, 'incidents', 'list', 'open-of', id],
    queryFn: async ({ signal }): Promise<IncidentItem[]> => {
      const open = { status: ['open', 'acknowledged'], sort: 'severity' } as const
      return (await client.incidents.list({ target: id, limit: MOST, ...open, status: [...open.status] }, { signal })).incidents
    },
    refetchInterval: pollEvery(60_000, 300_000),
  })

/** The most severe incidents of the organization that are not resolved: one request for all rows of a list. */
export const currentIncidentsQuery = ({ organizationId, client }: Api) =>
  queryOptions({
    queryKey: [organizationId, 'incidents', 'list', 'current'],
    queryFn: async ({ signal }): Promise<IncidentItem[]> =>
      (await client.incidents.list({ status: ['open', 'acknowledged'], sort: 'severity', limit: MOST }, { signal })).incidents,
    refetchInterval: pollEvery(60_000, 300_000),
  })

export const allRulesQuery = ({ organizationId, client }: Api) =>
  queryOptions({
    queryKey: [organizationId, 'alert-rules', 'list', 'all'],
    queryFn: async ({ signal }): Promise<AlertRule[]> => {
      const rules: AlertRule[] = []
      for await (const rule of client.alertRules.all({ limit: MOST }, { signal })) rules.push(rule)
      return rules
    },
  })

export const allWindowsQuery = ({ organizationId, client }: Api) =>
  queryOptions({
    queryKey: [organizationId, 'maintenance-windows', 'list', 'all'],
    queryFn: async ({ signal }): Promise<MaintenanceWindow[]> => {
      const windows: MaintenanceWindow[] = []
      for await (const window of client.maintenanceWindows.all({ limit: MOST }, { signal })) windows.push(window)
      return windows
    },
  })

/** Whether a rule or a maintenance window applies to it. */
export const appliesTo = (target: (AlertRule | MaintenanceWindow)['target'], { type, id, tags }: AlertSubject): boolean =>
  target.type === type && (target.id === null || target.id === id) && (target.tag === null || tags.includes(target.tag))
