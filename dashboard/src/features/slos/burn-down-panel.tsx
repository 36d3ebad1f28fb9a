import type { SloDetails } from '@vedette/shared'
import { DAY_MS } from '@vedette/shared/tables'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Chart } from '../../components/chart/chart.tsx'
import { Panel } from '../../components/page.tsx'
import { useNow } from '../../components/time.tsx'
import { useViewer } from '../../lib/api.ts'
import { budgetText } from '../../lib/budget-text.ts'
import { duration, fixed } from '../../lib/format.ts'
import { targetIncidentsQuery } from '../../lib/target-queries.ts'
import { dayAndClock } from '../../lib/time.ts'
import { slos } from '../../messages/slos.ts'
import { burnDown, eaters, usedUpAt } from './burn-down.ts'
import { countedQuery } from './queries.ts'

const text = slos.burnDown
const ZERO = [0]
const MOST = 10

/** The course of the budget over its window, what ate it, and when it is used up at this rate. */
export default function BurnDown({ slo }: { slo: SloDetails }) {
  const now = useNow()
  const { data: monitors } = useQuery(countedQuery(useViewer(), slo.target))
  const today = Math.floor(now / DAY_MS)
  // Of slow checks the days know nothing.
  const counted = slo.kind === 'availability' ? monitors : undefined
  const course = useMemo(() => (counted ? burnDown(slo.status, counted, now) : undefined), [slo.status, counted, today])
  const at = usedUpAt(slo, now)
  const left = slo.status.budget_left_percent
  return (
    <Panel title={text.title} className="min-w-0">
      {left !== null && (
        <p className="mb-3">
          {left <= 0 ? text.exceeded : at === undefined ? text.lasts : text.usedUp(dayAndClock(at), duration((at - now) / 1_000))}
        </p>
      )}
      {course && course.values.length > 1 && (
        <Chart
          title={text.course}
          from={course.from}
          stepSeconds={DAY_MS / 1_000}
          format={(value) => budgetText(value ?? null)}
          atLeast={100}
          atMost={100}
          thresholds={ZERO}
          lines={[{ label: slos.budgetLeft, color: 1, values: course.values, area: true }]}
          height={180}
        />
      )}
      {counted && slo.target.tag !== null && <Eaters eaten={eaters(slo.status, counted, now, MOST)} />}
      {slo.target.id !== null && <Incidents slo={slo} monitorId={slo.target.id} now={now} />}
    </Panel>
  )
}

function Eaters({ eaten }: { eaten: ReturnType<typeof eaters> }) {
  if (eaten.length === 0) return null
  return (
    <>
      <h3 className="mt-3 mb-1 font-semibold text-[0.95rem]">{text.monitors}</h3>
      <ol className="divide-y divide-line">
        {eaten.map(({ id, name, percent }) => (
          <li key={id} className="flex items-baseline justify-between gap-3 py-1.5">
            <Link
              to="/monitors/$monitorId"
              params={{ monitorId: id }}
              className="min-w-0 hover:underline [overflow-wrap:anywhere]"
            >
              {name}
            </Link>
            <span className="shrink-0 text-muted">{text.share(fixed(percent, percent < 10 ? 1 : 0))}</span>
          </li>
        ))}
      </ol>
    </>
  )
}

/** The incidents of the monitor in the window, the longest first. */
function Incidents({ slo: { status }, monitorId, now }: { slo: SloDetails; monitorId: string; now: number }) {
  const range = { from: Date.parse(status.from), to: Date.parse(status.to) }
  const { data = [] } = useQuery(targetIncidentsQuery(useViewer(), monitorId, range))
  const lasted = ({ opened_at, resolved_at }: (typeof data)[number]) =>
    (resolved_at === null ? now : Date.parse(resolved_at)) - Date.parse(opened_at)
  const worst = data.toSorted((one, other) => lasted(other) - lasted(one)).slice(0, MOST)
  if (worst.length === 0) return null
  return (
    <>
      <h3 className="mt-3 mb-1 font-semibold text-[0.95rem]">{text.incidents}</h3>
      <ol className="divide-y divide-line">
        {worst.map((incident) => (
          <li key={incident.id} className="flex items-baseline justify-between gap-3 py-1.5">
            <Link
              to="/incidents/$incidentId"
              params={{ incidentId: incident.id }}
              className="min-w-0 hover:underline [overflow-wrap:anywhere]"
            >
              {incident.summary}
            </Link>
            <span className="shrink-0 text-muted">{duration(lasted(incident) / 1_000)}</span>
          </li>
        ))}
      </ol>
    </>
  )
}
