import { useQuery } from '@tanstack/react-query'
import { Panel, SkeletonRows } from '../../components/page.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { Instant } from '../../components/time.tsx'
import { useViewer } from '../../lib/api.ts'
import { dayAndClock } from '../../lib/time.ts'
import { statusName } from '../../lib/status.ts'
import { messages } from '../../messages/index.ts'
import { transitionsQuery } from './queries.ts'

const text = messages.monitors.transitions

export function Transitions({ monitorId }: { monitorId: string }) {
  const { data } = useQuery(transitionsQuery(useViewer(), monitorId))
  if (!data) {
    return (
      <Panel title={text.title} flush>
        <SkeletonRows rows={3} />
      </Panel>
    )
  }
  return (
    <Panel title={text.title} flush>
      {data.transitions.length === 0 && <p className="border-line border-t px-4 py-3 text-muted">{text.none}</p>}
      <ul className="divide-y divide-line border-line border-t">
        {data.transitions.map(({ at, to_status, from_status, reason }) => (
          <li key={at} className="grid grid-cols-[6.5rem_minmax(0,1fr)_auto] items-baseline gap-3 px-4 py-2">
            <span>
              <StatusBadge status={to_status} />
            </span>
            <span className="line-clamp-3 text-soft [overflow-wrap:anywhere]" title={reason}>
              {reason} <span className="text-muted">({text.was(statusName(from_status))})</span>
            </span>
            <span className="text-muted">
              <Instant at={at} format={dayAndClock} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
