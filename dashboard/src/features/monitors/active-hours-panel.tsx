import type { MonitorDetails } from '@vedette/shared'
import { Panel } from '../../components/page.tsx'
import { dayAndClock } from '../../lib/time.ts'
import { activeHours as text } from '../../messages/active-hours.ts'
import { windows } from '../../messages/windows.ts'

/** When a monitor is monitored, and while it is not, from when on. */
export default function ActiveHoursPanel({ monitor: { active_hours: hours, active_at: at } }: { monitor: MonitorDetails }) {
  return (
    <Panel title={text.title}>
      {at !== undefined && (
        <p className="mb-2">
          <span className="font-semibold">{text.idle}</span>
          {' · '}
          {text.until(dayAndClock(Date.parse(at)))}
        </p>
      )}
      <ul className="grid gap-1 text-soft">
        {hours.map(({ days, from, to, time_zone: zone }) => (
          <li key={`${days.join()} ${from} ${to} ${zone}`}>
            {text.entry(days.map((day) => windows.dayNames[day]).join(', '), from, to, zone)}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
