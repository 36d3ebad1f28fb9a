import type { MonitorDetails } from '@vedette/shared'
import { usePrefetchQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { ManagedNote } from '../../components/managed.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { RangePicker } from '../../components/range-picker.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { Tags } from '../../components/tags.tsx'
import { AppliedRules, OpenIncidents, useWaitsForIncidents } from '../../components/target-alerts.tsx'
import { useNow } from '../../components/time.tsx'
import { TwoColumns } from '../../components/two-columns.tsx'
import { UptimeBar } from '../../components/uptime-bar.tsx'
import { useViewer } from '../../lib/api.ts'
import { shownStatus } from '../../lib/monitor-status.ts'
import { duration, uptime } from '../../lib/format.ts'
import { hasDocumentation } from '../../lib/has-documentation.ts'
import { defaultPeriod, type Range, rangeOf, type RangeSearch } from '../../lib/range.ts'
import { createPart } from '../../lib/create-part.tsx'
import { messages } from '../../messages/index.ts'
import { MonitorActions } from './actions.tsx'
import { MonitorCharts } from './charts.tsx'
import { Checks } from './checks.tsx'
import { Definition } from './definition.tsx'
import { PingAddress, Pings } from './heartbeat-panels.tsx'
import { kindOf } from './kind.ts'
import { targetText } from './kind-words.ts'
import { monitorQuery, statsQuery, transitionsQuery, uptimeQuery } from './queries.ts'
import { Transitions } from './transitions.tsx'

const text = messages.monitors
const route = getRouteApi('/monitors/$monitorId')
const LONGEST_PERIOD = '24h'
const { Part: ActiveHoursPanel } = createPart(() => import('./active-hours-panel.tsx'))
const { Part: DocumentationPanel } = createPart(() => import('../../components/documentation.tsx'))
const { Part: CompositePanel } = createPart(() => import('./composites/panel.tsx'))
const { Part: PingCalendar } = createPart(() => import('./ping-calendar.tsx'))
const { Part: ReclassifiedNote } = createPart(() => import('../../components/reclassified-note.tsx'))
const { Part: KindFacts } = createPart(() => import('./kind-facts-panel.tsx'))

type Search = RangeSearch & { region?: string }

export function MonitorPage() {
  const { monitorId } = route.useParams()
  const navigate = useNavigate({ from: '/monitors/$monitorId' })
  return <MonitorView monitorId={monitorId} search={route.useSearch()} onSearch={(search) => void navigate({ search })} />
}

interface ViewProps {
  monitorId: string
  search: Search
  onSearch: (search: Search) => void
}

export function MonitorView({ monitorId, search, onSearch }: ViewProps) {
  const viewer = useViewer()
  const { region } = search
  const monitor = useQuery(monitorQuery(viewer, monitorId))
  const range = rangeOf(search, defaultPeriod(Date.parse(monitor.data?.created_at ?? ''), useNow(), LONGEST_PERIOD))
  // Read by parts of the page that appear after the monitor itself: this way all requests run at once.
  const stats = useQuery(statsQuery(viewer, monitorId, range, region))
  usePrefetchQuery(uptimeQuery(viewer, monitorId))
  usePrefetchQuery(transitionsQuery(viewer, monitorId))

  return (
    <QueryPage title={text.title} query={monitor} isWaiting={useWaitsForIncidents(monitorId)}>
      {(data) => (
        <Page
          title={data.name}
          heading={<Heading monitor={data} />}
          lead={<Target monitor={data} />}
          aside={<MonitorActions monitor={data} />}
        >
          <div className="grid gap-4">
            <ManagedNote managed={data.managed} />
            <ProblemNotice monitor={data} />
            <OpenIncidents id={data.id} />
            <Uptime monitorId={monitorId} />
            {kindOf(data.type).hasResults && <Results monitor={data} range={range} search={search} onSearch={onSearch} />}
            {stats.data?.reclassified && <ReclassifiedNote intervals={stats.data.reclassified} />}
            <TwoColumns>
              <div className="grid gap-4">
                {data.type === 'heartbeat' && <Pings monitor={data} />}
                {kindOf(data.type).hasResults ? (
                  <Checks monitor={data} />
                ) : (
                  <>
                    <CompositePanel monitor={data} placeholder={<div className="panel skeleton h-24" />} />
                    <Transitions monitorId={monitorId} />
                  </>
                )}
              </div>
              <div className="grid gap-4">
                <PingAddress monitor={data} />
                {data.active_hours.length > 0 && <ActiveHoursPanel monitor={data} />}
                {hasDocumentation(data) && <DocumentationPanel documentation={data} />}
                <Definition monitor={data} />
                <AppliedRules subject={{ type: 'monitor', id: data.id, tags: data.tags }} rules={data.alert_rules} />
                {kindOf(data.type).hasResults && <Transitions monitorId={monitorId} />}
              </div>
            </TwoColumns>
          </div>
        </Page>
      )}
    </QueryPage>
  )
}

interface ResultProps extends Omit<ViewProps, 'monitorId'> {
  monitor: MonitorDetails
  range: Range
}

/** What the checks or pings of a range found, of all regions or one. */
function Results({ monitor, range, search, onSearch }: ResultProps) {
  const { region } = search
  const { regions = [] } = monitor
  const setRange = (next: RangeSearch) => onSearch({ ...next, ...(region === undefined ? {} : { region }) })
  return (
    <>
      <div className="flex min-w-0 flex-wrap items-center justify-between gap-2">
        {regions.length > 1 ? (
          <Segmented
            label={text.region}
            value={region ?? ''}
            options={[{ value: '', label: text.allRegions }, ...regions.map((id) => ({ value: id, label: id }))]}
            onChoose={(id) => {
              const { region: _current, ...rest } = search
              onSearch(id === '' ? rest : { ...rest, region: id })
            }}
          />
        ) : (
          <p className="text-[0.92rem] text-muted max-sm:hidden">{messages.range.hint}</p>
        )}
        <RangePicker range={range} onChange={setRange} onReset={() => setRange({})} />
      </div>
      {monitor.type === 'heartbeat' && <PingCalendar monitor={monitor} />}
      {hasFacts(monitor) && <KindFacts monitor={monitor} region={region} />}
      <MonitorCharts
        monitor={monitor}
        range={range}
        region={region}
        onZoom={(from, to) => setRange({ from, to })}
        onReset={() => 'from' in range && setRange({})}
      />
    </>
  )
}

/** What is checked; only an address of the web leads somewhere. */
function Target({ monitor }: { monitor: MonitorDetails }) {
  if (!/^https?:/.test(monitor.url ?? '')) return <span className="[overflow-wrap:anywhere]">{targetText(monitor)}</span>
  return (
    <a href={monitor.url} target="_blank" rel="noreferrer" className="hover:text-text hover:underline [overflow-wrap:anywhere]">
      {monitor.method} {monitor.url}
    </a>
  )
}

/** HTTP has its times and its status, which the page shows anyway. */
const hasFacts = ({ recent_checks, certificate_expires_at }: MonitorDetails): boolean =>
  certificate_expires_at !== null || recent_checks.some(({ facts }) => Object.keys(facts).length > 0)

function Heading({ monitor }: { monitor: MonitorDetails }) {
  const { name, flapping, tags } = monitor
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <h1>{name}</h1>
      <StatusBadge status={shownStatus(monitor)} />
      {flapping && <StatusBadge status="flapping" />}
      <Tags tags={tags} />
    </div>
  )
}

/** Since when a monitor is down or degraded, with the error of its latest failed check, or what its members make of it. */
function ProblemNotice({ monitor: { status, status_since, recent_checks, composite } }: { monitor: MonitorDetails }) {
  const now = useNow()
  if (status !== 'down' && status !== 'degraded') return null
  const failed = recent_checks.find(({ error }) => error !== null)
  return (
    <Notice status={status} title={text.statusFor[status](duration((now - Date.parse(status_since)) / 1000))}>
      {failed?.error?.message ?? composite?.reason}
    </Notice>
  )
}

function Uptime({ monitorId }: { monitorId: string }) {
  const { data } = useQuery(uptimeQuery(useViewer(), monitorId))
  const isKnown = data?.series?.uptime_percent.some((percent) => percent !== null)
  return (
    <Panel
      title={text.uptime90Days}
      aside={data && <span className="font-semibold">{isKnown ? uptime(data.uptime_percent) : messages.unknown}</span>}
    >
      {data?.series ? (
        <UptimeBar from={data.series.from} stepSeconds={data.series.step_seconds} values={data.series.uptime_percent} />
      ) : (
        <div className="skeleton h-8" />
      )}
    </Panel>
  )
}
