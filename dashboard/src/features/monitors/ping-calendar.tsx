import type { MonitorDetails } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { Panel } from '../../components/page.tsx'
import { StatusMark } from '../../components/status.tsx'
import { useNow } from '../../components/time.tsx'
import { useViewer } from '../../lib/api.ts'
import { day as dayText, weekday } from '../../lib/time.ts'
import { heartbeats } from '../../messages/heartbeats.ts'
import { calendarWeeks, type PingDay, pingDay } from './ping-days.ts'
import { downChecksQuery, pingTransitionsQuery, uptimeQuery } from './queries.ts'

const text = heartbeats.calendar

/** The mark of each: its shape says it too. */
const MARKS: Readonly<Record<PingDay, string>> = {
  came: 'up',
  late: 'degraded',
  missed: 'down',
  failed: 'down',
  trouble: 'down',
  none: 'pending',
}

/** How the pings of the last weeks went, a day a cell, a week a row. */
export default function PingCalendar({ monitor: { id, last_checked_at } }: { monitor: MonitorDetails }) {
  const viewer = useViewer()
  const weeks = calendarWeeks(useNow())
  const uptime = useQuery(uptimeQuery(viewer, id)).data?.series
  const fromMs = weeks[0]?.[0] ?? 0
  const downs = useQuery(downChecksQuery(viewer, { id, last_checked_at }, fromMs)).data?.checks
  const transitions = useQuery(pingTransitionsQuery(viewer, { id, last_checked_at }, fromMs)).data?.transitions
  if (!uptime || !downs || !transitions) return <div className="skeleton h-64" />
  const history = { fromMs: Date.parse(uptime.from), uptime: uptime.uptime_percent, downs, transitions }
  return (
    <Panel title={text.title} aside={<span className="text-muted">UTC</span>}>
      <table className="w-full table-fixed border-separate border-spacing-1 text-[0.88rem]">
        <caption className="sr-only">{text.caption}</caption>
        <thead>
          <tr>
            {weeks[0]?.map((day = 0) => (
              <th key={day} scope="col" className="font-normal text-muted">
                {weekday(day, 'UTC')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((days) => (
            <tr key={days[0]}>
              {days.map((day, index) =>
                day === undefined ? <td key={index} /> : <Day key={day} day={day} how={pingDay(history, day)} />,
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}

function Day({ day, how }: { day: number; how: PingDay }) {
  const isQuiet = how === 'came' || how === 'none'
  const date = dayText(day, 'UTC')
  return (
    <td className="rounded-md bg-sunken p-1 text-center align-top" title={`${date}: ${text.days[how]}`}>
      <span className="flex items-center justify-center gap-1">
        <StatusMark status={MARKS[how]} className="size-2.5" />
        <span className="sr-only">{date}</span>
        <span aria-hidden="true" className="text-muted">
          {new Date(day).getUTCDate()}
        </span>
      </span>
      <span className={isQuiet ? 'sr-only' : 'max-sm:sr-only'}>{text.days[how]}</span>
    </td>
  )
}
