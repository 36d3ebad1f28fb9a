import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Panel, SkeletonRows } from '../../components/page.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { Instant } from '../../components/time.tsx'
import { useViewer } from '../../lib/api.ts'
import { createPart } from '../../lib/create-part.tsx'
import { dayAndClock } from '../../lib/time.ts'
import { statusName } from '../../lib/status.ts'
import { messages } from '../../messages/index.ts'
import { transitionsQuery } from './queries.ts'

const text = messages.monitors.transitions
const { Part: Reclassify } = createPart(() => import('./reclassify.tsx'))
const { Part: Reclassified } = createPart(() => import('./reclassified.tsx'))

/** A time in which the status was not up, ms. */
interface Interval {
  fromMs: number
  toMs: number
}

export function Transitions({ monitorId }: { monitorId: string }) {
  const viewer = useViewer()
  const { data } = useQuery(transitionsQuery(viewer, monitorId))
  const [chosen, setChosen] = useState<Interval>()
  const [isListShown, setListShown] = useState(false)
  if (!data) {
    return (
      <Panel title={text.title} flush>
        <SkeletonRows rows={3} />
      </Panel>
    )
  }
  return (
    <Panel
      title={text.title}
      flush
      aside={
        <Button small onClick={() => setListShown(true)}>
          {text.reclassified}
        </Button>
      }
    >
      {data.transitions.length === 0 && <p className="border-line border-t px-4 py-3 text-muted">{text.none}</p>}
      <ul className="divide-y divide-line border-line border-t">
        {data.transitions.map(({ at, to_status, from_status, reason }, index) => (
          <li key={at} className="grid grid-cols-[minmax(6.5rem,auto)_minmax(0,1fr)_auto] items-baseline gap-3 px-4 py-2">
            <span>
              <StatusBadge status={to_status} />
            </span>
            <span className="line-clamp-3 text-soft [overflow-wrap:anywhere]" title={reason}>
              {reason} <span className="text-muted">({text.was(statusName(from_status))})</span>
            </span>
            <span className="text-muted">
              <Instant at={at} format={dayAndClock} />
            </span>
            {viewer.can('monitors:update') && (to_status === 'down' || to_status === 'degraded') && (
              <span className="col-start-2">
                <Button
                  small
                  aria-label={text.reclassifyOf(dayAndClock(Date.parse(at)))}
                  onClick={() =>
                    // The newest is first; the status lasts until the one after it.
                    setChosen({ fromMs: Date.parse(at), toMs: Date.parse(data.transitions[index - 1]?.at ?? '') || Date.now() })
                  }
                >
                  {text.reclassify}
                </Button>
              </span>
            )}
          </li>
        ))}
      </ul>
      {chosen && <Reclassify monitorId={monitorId} {...chosen} onClose={() => setChosen(undefined)} />}
      {isListShown && <Reclassified monitorId={monitorId} onClose={() => setListShown(false)} />}
    </Panel>
  )
}
