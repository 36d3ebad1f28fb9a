import type { ServerDetails } from '@vedette/shared'
import type { EntityKindName } from '@vedette/shared/tables'

/** The kinds of the tabs that have some, in the order of the page. */
export const TAB_KINDS = {
  containers: ['container'],
  services: ['unit', 'process', 'updates'],
  hardware: ['sensor', 'gpu', 'battery', 'memory', 'pressure', 'limit'],
  storage: ['disk', 'array'],
  metrics: ['metric'],
} as const satisfies Record<string, readonly EntityKindName[]>

export type EntityTab = keyof typeof TAB_KINDS
export type ServerTab = 'overview' | 'processes' | EntityTab

const TABS: readonly ServerTab[] = ['overview', 'processes', ...(Object.keys(TAB_KINDS) as EntityTab[])]

/** The tab of an address. */
export const tabOf = (name: string | undefined): ServerTab => TABS.find((tab) => tab === name) ?? 'overview'

/** The kinds of a tab; none for those without. */
export const kindsOf = (tab: ServerTab): readonly EntityKindName[] => (tab in TAB_KINDS ? TAB_KINDS[tab as EntityTab] : [])

/** The tabs that have something to show, and the one on display. */
export function shownTabs(
  { processes, metrics }: Pick<ServerDetails, 'processes' | 'metrics'>,
  counts: Readonly<Record<string, number>>,
  current: ServerTab,
): ServerTab[] {
  const hasData = (tab: ServerTab): boolean => {
    if (tab === 'overview') return true
    if (tab === 'processes') return processes.length > 0
    return kindsOf(tab).some((kind) => counts[kind] !== undefined) || (tab === 'storage' && metrics?.disk !== undefined)
  }
  return TABS.filter((tab) => tab === current || hasData(tab))
}

/** The tab that lists the entities of a kind; undefined for a kind that this page does not know. */
export const tabOfKind = (kind: string): EntityTab | undefined =>
  (Object.keys(TAB_KINDS) as EntityTab[]).find((tab) => (TAB_KINDS[tab] as readonly string[]).includes(kind))
