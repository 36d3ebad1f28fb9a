import { usePrefetchQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Notice } from '../../components/notice.tsx'
import { Page, SkeletonRows, Trouble } from '../../components/page.tsx'
import { RangePicker } from '../../components/range-picker.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { Tags } from '../../components/tags.tsx'
import { Ago } from '../../components/time.tsx'
import { useScope, useViewer } from '../../lib/api.ts'
import { rangeOf, type RangeSearch, SERVER_PERIODS } from '../../lib/range.ts'
import { text } from '../../messages/index.ts'
import { ServerActions } from './actions.tsx'
import { ServerCharts } from './charts.tsx'
import { Filesystems, Interfaces } from './dimensions.tsx'
import { Facts } from './facts.tsx'
import { Now } from './now.tsx'
import { Processes } from './processes.tsx'
import { dimensionQuery, metricsQuery, serverQuery } from './queries.ts'

const route = getRouteApi('/servers/$serverId')
const USUAL_PERIOD = '1h'

export function ServerPage() {
  const { client } = useViewer()
  const { serverId } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/servers/$serverId' })
  const scope = useScope()
  const range = rangeOf(search, USUAL_PERIOD)
  const server = useQuery(serverQuery(scope, client, serverId))
  // Asked for by parts of the page that are not there before the server itself is known: all at once rather than in turns.
  usePrefetchQuery(metricsQuery(scope, client, serverId, range))
  usePrefetchQuery(dimensionQuery(scope, client, serverId, range, 'mount'))
  usePrefetchQuery(dimensionQuery(scope, client, serverId, range, 'interface'))
  /** The instant whose processes are shown, in ms; undefined: the newest. */
  const [pinned, setPinned] = useState<number>()
  const setRange = (next: RangeSearch) => void navigate({ search: next })

  if (server.isError && !server.data) {
    return (
      <Page title={text.servers.title} heading={<Link to="/servers">{text.servers.title}</Link>}>
        <Trouble error={server.error} onRetry={() => void server.refetch()} />
      </Page>
    )
  }
  if (!server.data) {
    return (
      <Page title={text.servers.title} heading={<div className="skeleton h-7 w-56" />}>
        {/* Another element than what follows: that one stands lower, and must not be taken for this one moved. */}
        <div key="waiting" className="panel">
          <SkeletonRows rows={6} />
        </div>
      </Page>
    )
  }
  const { data } = server
  const name = data.display_name ?? data.hostname
  return (
    <Page
      title={name}
      heading={
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="[overflow-wrap:anywhere]">{name}</h1>
          <StatusBadge status={data.status} />
          <Tags tags={data.tags} />
        </div>
      }
      lead={`${data.os} · ${data.kernel}`}
      aside={<ServerActions server={data} />}
    >
      <div className="grid gap-4">
        {data.status === 'offline' && (
          <Notice
            status="offline"
            title={
              <>
                {text.servers.silent.title} <Ago at={data.last_seen_at} />
              </>
            }
          >
            {text.servers.silent.advice} <code className="font-mono text-[0.93rem]">sudo vedette-agent status</code>
          </Notice>
        )}
        <Now server={data} />
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p className="text-[0.92rem] text-muted max-sm:hidden">{text.range.hint}</p>
          <RangePicker range={range} periods={SERVER_PERIODS} onChange={setRange} onReset={() => setRange({})} />
        </div>
        <ServerCharts
          serverId={serverId}
          range={range}
          onZoom={(from, to) => setRange({ from, to })}
          onReset={() => 'from' in range && setRange({})}
          onPick={setPinned}
        />
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <div className="grid min-w-0 gap-4">
            <Processes server={data} pinned={pinned} onUnpin={() => setPinned(undefined)} />
            <Filesystems serverId={serverId} range={range} onZoom={(from, to) => setRange({ from, to })} />
            <Interfaces serverId={serverId} range={range} />
          </div>
          <Facts server={data} />
        </div>
      </div>
    </Page>
  )
}
