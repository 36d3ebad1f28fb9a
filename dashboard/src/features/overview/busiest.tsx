import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Meter } from '../../components/meter.tsx'
import { Panel, SkeletonRows } from '../../components/page.tsx'
import { Sparkline } from '../../components/sparkline.tsx'
import { pollEvery, useViewer } from '../../lib/api.ts'
import { serverName } from '../../lib/server-name.ts'
import { messages } from '../../messages/index.ts'

const text = messages.overview
const SHOWN = 6

/** The servers with the highest CPU usage in their latest sample. */
export function Busiest() {
  const { client, organizationId } = useViewer()
  const list = useQuery({
    queryKey: [organizationId, 'servers', 'busiest'],
    queryFn: ({ signal }) =>
      client.servers.list({ status: 'online', sort: '-cpu', limit: SHOWN, include: 'metrics,sparkline' }, { signal }),
    refetchInterval: pollEvery(60_000),
  })
  const servers = list.data?.servers
  if (servers?.length === 0) return null
  return (
    <Panel
      title={text.busiest}
      flush
      aside={
        <Link to="/servers" search={{ sort: '-cpu' }} className="text-accent hover:underline">
          {text.all}
        </Link>
      }
    >
      {servers ? (
        <ul className="divide-y divide-line border-line border-t">
          {servers.map((server) => (
            <li key={server.id}>
              <Link
                to="/servers/$serverId"
                params={{ serverId: server.id }}
                className="control flex items-center gap-4 px-4 py-2 hover:bg-hover"
              >
                <span className="min-w-0 flex-1 cut font-medium">{serverName(server)}</span>
                <span className="hidden sm:block">
                  <Sparkline values={server.sparkline?.cpu_percent ?? []} max={100} label={messages.servers.cpuDay} />
                </span>
                <Meter value={server.metrics?.cpu?.percent} label={messages.servers.columns.cpu} />
              </Link>
            </li>
          ))}
        </ul>
      ) : (
        <SkeletonRows rows={SHOWN} />
      )}
    </Panel>
  )
}
