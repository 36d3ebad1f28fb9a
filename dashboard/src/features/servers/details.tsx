import type { ServerDetails } from '@vedette/shared'
import { type EntityKindName, HOUR_MS, MINUTE_MS } from '@vedette/shared/tables'
import { usePrefetchQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { ManagedNote } from '../../components/managed.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page, SkeletonRows } from '../../components/page.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { RangePicker } from '../../components/range-picker.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { tabClass, TABS_CLASS } from '../../components/tab-class.ts'
import { Tags } from '../../components/tags.tsx'
import { useWaitsForIncidents } from '../../components/target-alerts.tsx'
import { useNow } from '../../components/time.tsx'
import { useViewer } from '../../lib/api.ts'
import { createPart } from '../../lib/create-part.tsx'
import { defaultPeriod, type Range, rangeOf, type RangeSearch } from '../../lib/range.ts'
import { countByTab } from '../../lib/health-tabs.ts'
import { isUnwell, serverStatus } from '../../lib/server-status.ts'
import { serverName } from '../../lib/server-name.ts'
import { entities } from '../../messages/entities.ts'
import { findings } from '../../messages/findings.ts'
import { messages } from '../../messages/index.ts'
import { ServerActions } from './actions.tsx'
import { Compare } from './compare.tsx'
import { Filesystems } from './dimensions.tsx'
import { Findings } from './findings.tsx'
import { AtPicker } from './entities/at-picker.tsx'
import { countsQuery, serverEntitiesQuery } from './entities/queries.ts'
import { type ServerSearch, serverSearch, wholeList } from './entities/search.ts'
import { kindsOf, type ServerTab, shownTabs, tabOf } from '../../lib/entity-tabs.ts'
import { LastPush } from './last-push.tsx'
import { OverviewTab } from './overview-tab.tsx'
import { Processes } from './processes.tsx'
import { dimensionQuery, metricsQuery, serverQuery } from './queries.ts'

const { Part: EntityTab, preload: preloadEntityTab } = createPart(() => import('./entities/entity-tab.tsx'))
const { Part: EntityPanel } = createPart(() => import('./entities/entity-panel.tsx'))
const { Part: Forecast } = createPart(() => import('./forecast.tsx'))

const route = getRouteApi('/servers/$serverId')
const LONGEST_PERIOD = '1h'

/** A host that has been silent for more than an hour is shown at its last one, where nothing else was chosen. */
function withLastHour(search: RangeSearch, { status, metrics }: ServerDetails): RangeSearch {
  const lastMs = Date.parse(metrics?.sampled_at ?? '')
  const isChosen = search.range !== undefined || search.from !== undefined
  if (isChosen || status !== 'offline' || !(Date.now() - lastMs > HOUR_MS)) return search
  return { from: lastMs - HOUR_MS, to: lastMs + MINUTE_MS }
}

export function ServerPage() {
  const { serverId } = route.useParams()
  const navigate = useNavigate()
  const change = (next: Change) =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, ...next }) as object, resetScroll: false })
  const tab = tabOf(useParams({ strict: false }).tab)
  return <ServerView serverId={serverId} tab={tab} search={serverSearch({ ...route.useSearch() })} onChange={change} />
}

/** Of the parameters in the address. */
export type Change = Partial<Record<keyof ServerSearch, unknown>>

interface ViewProps {
  serverId: string
  tab: ServerTab
  search: ServerSearch
  onChange: (change: Change) => void
}

export function ServerView({ serverId, tab, search, onChange }: ViewProps) {
  const viewer = useViewer()
  const now = useNow()
  useEffect(preloadEntityTab, [])
  const [kind, ...otherKinds] = kindsOf(tab)
  const server = useQuery(serverQuery(viewer, serverId))
  const counts = useQuery(countsQuery(viewer, serverId)).data?.counts
  // The other tabs show none.
  const isWaiting = useWaitsForIncidents(serverId) && tab === 'overview'
  const period = defaultPeriod(Date.parse(server.data?.registered_at ?? ''), now, LONGEST_PERIOD)
  const range = rangeOf(server.data ? withLastHour(search, server.data) : search, period)
  return (
    <>
      {kind !== undefined && otherKinds.length === 0 && <PrefetchList serverId={serverId} kind={kind} search={search} />}
      <QueryPage title={messages.servers.title} query={server} isWaiting={isWaiting}>
        {(data) => (
          <Page
            title={serverName(data)}
            heading={
              <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <h1>{serverName(data)}</h1>
                <StatusBadge status={serverStatus(data, now)} />
                {isUnwell(data.health.status) && <StatusBadge status={data.health.status} />}
                <Tags tags={data.tags} />
              </div>
            }
            lead={[data.os, data.kernel].filter((part) => part !== '').join(' · ')}
            aside={<ServerActions server={data} />}
          >
            <Tabs
              serverId={serverId}
              tabs={shownTabs(data, counts ?? {}, tab)}
              current={tab}
              problems={countByTab(data.health)}
            />
            <div className="grid grid-cols-1 gap-4">
              <ManagedNote managed={data.managed} />
              {serverStatus(data, now) === 'offline' && (
                <Notice
                  status="offline"
                  title={
                    <>
                      {messages.servers.offline.title} <LastPush server={data} />
                    </>
                  }
                >
                  {messages.servers.offline.advice} <code className="font-mono text-[0.93rem]">sudo vedette-agent status</code>
                </Notice>
              )}
              {search.entity === undefined && <Findings server={data} tabs={shownTabs(data, counts ?? {}, tab)} />}
              <Content server={data} tab={tab} counts={counts} search={search} range={range} change={onChange} />
            </div>
          </Page>
        )}
      </QueryPage>
    </>
  )
}

/** The list of a tab with one kind: it is requested with the server, not after it. */
function PrefetchList({ serverId, kind, search }: { serverId: string; kind: EntityKindName; search: ServerSearch }) {
  usePrefetchQuery(serverEntitiesQuery(useViewer(), serverId, wholeList(kind, search)))
  return null
}

interface TabsProps {
  serverId: string
  tabs: readonly ServerTab[]
  current: ServerTab
  /** How many each of them has. */
  problems: Readonly<Partial<Record<string, number>>>
}

function Tabs({ serverId, tabs, current, problems }: TabsProps) {
  const nav = useRef<HTMLElement>(null)
  // On narrow screens it may be out of view. Not by scrollIntoView, which moves the page as well: a chart that is moved would jump away.
  useEffect(() => {
    const element = nav.current
    if (!element) return
    // Once the browser has laid the page out: reading places before it would do that twice.
    const observer = new ResizeObserver(() => {
      const link = element.querySelector('[aria-current]')
      if (!link) return
      const [bar, tab] = [element.getBoundingClientRect(), link.getBoundingClientRect()]
      element.scrollLeft += tab.left - bar.left - (bar.width - tab.width) / 2
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [current])
  // Only the overview: there is nothing to choose.
  if (tabs.length === 1) return null
  return (
    <nav ref={nav} aria-label={entities.tabs.label} className={TABS_CLASS}>
      {tabs.map((tab) => (
        <Link
          key={tab}
          {...(tab === 'overview' ? { to: '/servers/$serverId' } : { to: '/servers/$serverId/$tab' })}
          params={{ serverId, tab }}
          // The range stays, what was searched for in a tab does not.
          search={({ range, from, to, compare }: object & Partial<Record<keyof ServerSearch, unknown>>) =>
            ({ range, from, to, compare }) as ServerSearch
          }
          aria-current={tab === current ? 'page' : undefined}
          className={tabClass(tab === current)}
        >
          {entities.tabs[tab]}
          <Problems count={problems[tab]} />
        </Link>
      ))}
    </nav>
  )
}

function Problems({ count = 0 }: { count: number | undefined }) {
  if (count === 0) return null
  return (
    <span className="relative ml-1.5 rounded-full bg-bad-ground px-1.5 font-semibold text-[0.86rem] text-bad">
      <span aria-hidden="true">{count}</span>
      <span className="sr-only">{findings.problems(count)}</span>
    </span>
  )
}

interface ContentProps {
  server: ServerDetails
  tab: ServerTab
  counts: Readonly<Record<string, number>> | undefined
  search: ServerSearch
  range: Range
  change: (change: Change) => void
}

function Content({ server, tab, counts, search, range, change }: ContentProps) {
  const { compare, entity, at } = search
  const setRange = ({ range: period, from, to }: RangeSearch) => change({ range: period, from, to })
  const zoom = { onZoom: (from: number, to: number) => setRange({ from, to }), onReset: () => 'from' in range && setRange({}) }
  const picker = <RangePicker range={range} onChange={setRange} onReset={() => setRange({ range: LONGEST_PERIOD })} />
  if (tab === 'overview') {
    return (
      <>
        <Prefetch serverId={server.id} range={range} />
        <OverviewTab server={server} range={range} compare={compare} {...zoom}>
          <div className="flex flex-wrap items-center justify-between gap-2">
            <p className="text-[0.92rem] text-muted max-sm:hidden">{messages.range.hint}</p>
            <div className="flex min-w-0 flex-wrap items-center gap-1.5">
              <Compare serverId={server.id} compare={compare} onChange={(next) => change({ compare: next })} />
              {picker}
            </div>
          </div>
        </OverviewTab>
      </>
    )
  }
  if (tab === 'processes') {
    return (
      <>
        <AtPicker at={at} onChange={(next) => change({ at: next })} />
        <Processes server={server} pinned={at} onUnpin={() => change({ at: undefined })} />
      </>
    )
  }
  const skeleton = (
    <div className="panel">
      <SkeletonRows rows={6} />
    </div>
  )
  if (entity !== undefined) {
    return (
      <EntityPanel
        placeholder={skeleton}
        server={server}
        tab={tab}
        id={entity}
        range={range}
        {...zoom}
        onPick={(picked) => change({ at: picked, entity: undefined })}
      >
        {picker}
      </EntityPanel>
    )
  }
  const hasEntities = kindsOf(tab).some((kind) => counts?.[kind] !== undefined)
  return (
    <>
      {tab === 'storage' && server.metrics?.disk && (
        <>
          {picker}
          <Filesystems server={server} range={range} onZoom={zoom.onZoom} />
          <Forecast serverId={server.id} />
        </>
      )}
      {(tab !== 'storage' || hasEntities || !server.metrics?.disk) && (
        <EntityTab placeholder={skeleton} server={server} tab={tab} counts={counts} search={search} />
      )}
    </>
  )
}

/** What parts of the overview read: this way all requests run at once. */
function Prefetch({ serverId, range }: { serverId: string; range: Range }) {
  const viewer = useViewer()
  usePrefetchQuery(metricsQuery(viewer, serverId, range))
  usePrefetchQuery(dimensionQuery(viewer, serverId, range, 'mount'))
  usePrefetchQuery(dimensionQuery(viewer, serverId, range, 'interface'))
  return null
}
