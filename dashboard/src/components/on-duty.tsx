import type { Shift } from '@vedette/shared'
import { DAY_MS, MAX_SHIFT_DAYS } from '@vedette/shared/tables'
import { personText } from '../lib/person.ts'
import { shiftTime } from '../lib/shift-time.ts'
import { escalation } from '../messages/escalation.ts'

const text = escalation.duty

export const PersonOnDuty = ({ shift }: { shift: Shift }) => (
  <bdi className="font-medium [overflow-wrap:anywhere]">{personText(shift)}</bdi>
)

/** Who is on duty, and until when. */
export function OnDutyText({ current, zone }: { current: Shift | null; zone: string }) {
  if (!current) return <span className="font-medium text-bad">{text.nobody}</span>
  // Shifts are read no further.
  const isEndless = Date.parse(current.to) - Date.parse(current.from) >= (MAX_SHIFT_DAYS - 1) * DAY_MS
  return (
    <>
      <PersonOnDuty shift={current} />{' '}
      {!isEndless && <span className="text-muted">{text.until(shiftTime(current.to, zone))}</span>}
    </>
  )
}
