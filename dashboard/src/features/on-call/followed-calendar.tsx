import type { Schedule } from '@vedette/shared'
import { Fact, Panel } from '../../components/page.tsx'
import { shiftTime } from '../../lib/shift-time.ts'
import { escalation } from '../../messages/escalation.ts'

const text = escalation.schedules.ical

/** What the calendar that a schedule follows says, and since when it cannot be read. */
export function FollowedCalendar({ schedule: { ical, time_zone: zone } }: { schedule: Schedule }) {
  if (!ical) return null
  const now = Date.now()
  const coming = ical.shifts.filter(({ ends_at: end }) => Date.parse(end) > now).length
  return (
    <Panel title={text.title}>
      {ical.error !== null && (
        <p role="status" className="mb-2 text-bad">
          {text.failing(ical.error, ical.failing_since === null ? '' : shiftTime(ical.failing_since, zone))}
        </p>
      )}
      <dl>
        <Fact name={text.readAt}>{ical.read_at === null ? text.notYet : shiftTime(ical.read_at, zone)}</Fact>
        <Fact name={text.coming}>{coming}</Fact>
      </dl>
      {ical.faults.length > 0 && (
        <ul className="mt-2 list-disc pl-5 text-[0.92rem] text-muted">
          {ical.faults.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
