import type { MonitorDetails } from '@vedette/shared'
import { usePrefetchQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Notice } from '../../components/notice.tsx'
import { Page, Panel, SkeletonRows, Trouble } from '../../components/page.tsx'
import { RangePicker } from '../../components/range-picker.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { Tags } from '../../components/tags.tsx'
import { useNow } from '../../components/time.tsx'
import { UptimeBar } from '../../components/uptime-bar.tsx'
import { useScope, useViewer } from '../../lib/api.ts'
import { duration, uptime } from '../../lib/format.ts'
import { MONITOR_PERIODS, rangeOf, type RangeSearch } from '../../lib/range.ts'
import { text } from '../../messages/index.ts'
import { MonitorActions } from './actions.tsx'
import { MonitorCharts } from './charts.tsx'
import { Checks } from './checks.tsx'
import { Definition } from './definition.tsx'
import { monitorQuery, statsQuery, transitionsQuery, uptimeQuery } from './queries.ts'
import { Transitions } from './transitions.tsx'

const words = text.monitors
const route = getRouteApi('/monitors/$monitorId')
const USUAL_PERIOD = '24h'

export function MonitorPage() {
  const { client } = useViewer()
  const { monitorId } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/monitors/$monitorId' })
  const scope = useScope()
  const range = rangeOf(search, USUAL_PERIOD)
  const { region } = search
  const monitor = useQuery(monitorQuery(scope, client, monitorId))
  // Asked for by parts of the page that are not there before the monitor itself is known: all at once rather than in turns.
  usePrefetchQuery(statsQuery(scope, client, monitorId, range, region))
  usePrefetchQuery(uptimeQuery(scope, client, monitorId))
  usePrefetchQuery(transitionsQuery(scope, client, monitorId))
  const place = region === undefined ? {} : { region }
  const setRange = (next: RangeSearch) => void navigate({ search: { ...next, ...place } })

  if (monitor.isError && !monitor.data) {
    return (
      <Page title={words.title}>
        <Trouble error={monitor.error} onRetry={() => void monitor.refetch()} />
      </Page>
    )
  }
  if (!monitor.data) {
    return (
      <Page title={words.title} heading={<div className="skeleton h-7 w-56" />}>
        {/* Another element than what follows: that one stands lower, and must not be taken for this one moved. */}
        <div key="waiting" className="panel">
          <SkeletonRows rows={6} />
        </div>
      </Page>
    )
  }
  const { data } = monitor
  return (
    <Page
      title={data.name}
      heading={
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="[overflow-wrap:anywhere]">{data.name}</h1>
          <StatusBadge status={data.last_checked_at === null && data.status !== 'paused' ? 'waiting' : data.status} />
          <Tags tags={data.tags} />
        </div>
      }
      lead={
        <a href={data.url} target="_blank" rel="noreferrer" className="hover:text-text hover:underline [overflow-wrap:anywhere]">
          {data.method} {data.url}
        </a>
      }
      aside={<MonitorActions monitor={data} />}
    >
      <div className="grid gap-4">
        <Why monitor={data} />
        <Uptime monitorId={monitorId} />
        <div className="flex flex-wrap items-center justify-between gap-2">
          {data.regions.length > 1 ? (
            <Segmented
              label={words.region}
              value={region ?? ''}
              options={[{ value: '', label: words.allRegions }, ...data.regions.map((id) => ({ value: id, label: id }))]}
              onChoose={(id) => {
                const { region: _before, ...rest } = search
                void navigate({ search: id === '' ? rest : { ...rest, region: id } })
              }}
            />
          ) : (
            <p className="text-[0.92rem] text-muted max-sm:hidden">{text.range.hint}</p>
          )}
          <RangePicker range={range} periods={MONITOR_PERIODS} onChange={setRange} onReset={() => setRange({})} />
        </div>
        <MonitorCharts
          monitor={data}
          range={range}
          region={region}
          onZoom={(from, to) => setRange({ from, to })}
          onReset={() => 'from' in range && setRange({})}
        />
        <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <Checks monitor={data} />
          <div className="grid gap-4">
            <Definition monitor={data} />
            <Transitions monitorId={monitorId} />
          </div>
        </div>
      </div>
    </Page>
  )
}

/** Of a monitor that is not well: since when, and what its newest failed check says. */
function Why({ monitor: { status, status_since, recent_checks } }: { monitor: MonitorDetails }) {
  const now = useNow()
  if (status !== 'down' && status !== 'degraded') return null
  const failed = recent_checks.find(({ error }) => error !== null)
  return (
    <Notice status={status} title={words.notWell[status](duration((now - Date.parse(status_since)) / 1000))}>
      {failed?.error?.message}
    </Notice>
  )
}

function Uptime({ monitorId }: { monitorId: string }) {
  const { client } = useViewer()
  const { data } = useQuery(uptimeQuery(useScope(), client, monitorId))
  return (
    <Panel
      title={words.last90}
      aside={
        data && <span className="font-semibold">{data.total_checks === 0 ? text.unknown : uptime(data.uptime_percent)}</span>
      }
    >
      {data?.series ? (
        <UptimeBar
          from={data.series.from}
          stepSeconds={data.series.step_seconds}
          values={data.series.uptime_percent as (number | null)[]}
        />
      ) : (
        <div className="skeleton h-8" />
      )}
    </Panel>
  )
}
