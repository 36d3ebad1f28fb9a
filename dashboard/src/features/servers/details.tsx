import type { ServerDetails } from '@vedette/shared'
import { HOUR_MS, MINUTE_MS } from '@vedette/shared/tables'
import { usePrefetchQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { RangePicker } from '../../components/range-picker.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { Tags } from '../../components/tags.tsx'
import { useNow } from '../../components/time.tsx'
import { AppliedRules, OpenIncidents } from '../../components/target-alerts.tsx'
import { useViewer } from '../../lib/api.ts'
import { allRulesQuery, appliesTo } from '../../lib/target-queries.ts'
import { rangeOf, type RangeSearch } from '../../lib/range.ts'
import { serverStatus } from '../../lib/server-status.ts'
import { serverName } from '../../lib/server-name.ts'
import { messages } from '../../messages/index.ts'
import { ServerActions } from './actions.tsx'
import { ServerCharts } from './charts.tsx'
import { Compare } from './compare.tsx'
import { Filesystems, Interfaces } from './dimensions.tsx'
import { Facts } from './facts.tsx'
import { LastPush } from './last-push.tsx'
import { LatestSample } from './latest-sample.tsx'
import { Processes } from './processes.tsx'
import { dimensionQuery, metricsQuery, serverQuery } from './queries.ts'

const route = getRouteApi('/servers/$serverId')
const DEFAULT_PERIOD = '1h'

/** A host that has been silent for more than an hour is shown at its last one, where nothing else was chosen. */
function withLastHour(search: RangeSearch, { status, metrics }: ServerDetails): RangeSearch {
  const lastMs = Date.parse(metrics?.sampled_at ?? '')
  const isChosen = search.range !== undefined || search.from !== undefined
  if (isChosen || status !== 'offline' || !(Date.now() - lastMs > HOUR_MS)) return search
  return { from: lastMs - HOUR_MS, to: lastMs + MINUTE_MS }
}

export function ServerPage() {
  const viewer = useViewer()
  const now = useNow()
  const { serverId } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/servers/$serverId' })
  const server = useQuery(serverQuery(viewer, serverId))
  const range = rangeOf(server.data ? withLastHour(search, server.data) : search, DEFAULT_PERIOD)
  // Read by parts of the page that appear after the server itself: this way all requests run at once.
  usePrefetchQuery(metricsQuery(viewer, serverId, range))
  usePrefetchQuery(dimensionQuery(viewer, serverId, range, 'mount'))
  usePrefetchQuery(dimensionQuery(viewer, serverId, range, 'interface'))
  /** The time whose processes are shown, ms; undefined: the latest push. */
  const [pinned, setPinned] = useState<number>()
  const { compare } = search
  const setRange = (next: RangeSearch) => void navigate({ search: { ...next, ...(compare === undefined ? {} : { compare }) } })

  return (
    <QueryPage title={messages.servers.title} query={server}>
      {(data) => (
        <Page
          title={serverName(data)}
          heading={
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <h1 className="[overflow-wrap:anywhere]">{serverName(data)}</h1>
              <StatusBadge status={serverStatus(data, now)} />
              <Tags tags={data.tags} />
            </div>
          }
          lead={[data.os, data.kernel].filter((part) => part !== '').join(' · ')}
          aside={<ServerActions server={data} />}
        >
          <div className="grid gap-4">
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
            <OpenIncidents id={data.id} />
            <LatestSample server={data} />
            <div className="flex flex-wrap items-center justify-between gap-2">
              <p className="text-[0.92rem] text-muted max-sm:hidden">{messages.range.hint}</p>
              <div className="flex flex-wrap items-center gap-1.5">
                <Compare
                  serverId={serverId}
                  compare={compare}
                  onChange={(next) =>
                    void navigate({
                      search: ({ compare: _before, ...rest }) => (next === undefined ? rest : { ...rest, compare: next }),
                    })
                  }
                />
                <RangePicker range={range} onChange={setRange} onReset={() => setRange({ range: DEFAULT_PERIOD })} />
              </div>
            </div>
            <ServerCharts
              server={data}
              range={range}
              compare={compare}
              onZoom={(from, to) => setRange({ from, to })}
              onReset={() => 'from' in range && setRange({})}
              onPick={setPinned}
            />
            <div className="grid items-start gap-4 lg:grid-cols-2">
              <div className="grid min-w-0 gap-4">
                <Processes server={data} pinned={pinned} onUnpin={() => setPinned(undefined)} />
                <Filesystems server={data} range={range} onZoom={(from, to) => setRange({ from, to })} />
                <Interfaces serverId={serverId} range={range} />
              </div>
              <div className="grid min-w-0 gap-4">
                <Rules server={data} />
                <Facts server={data} />
              </div>
            </div>
          </div>
        </Page>
      )}
    </QueryPage>
  )
}

function Rules({ server: { id, tags } }: { server: ServerDetails }) {
  const { data } = useQuery(allRulesQuery(useViewer()))
  const subject = { type: 'server', id, tags } as const
  return <AppliedRules subject={subject} rules={data?.filter(({ enabled, target }) => enabled && appliesTo(target, subject))} />
}
