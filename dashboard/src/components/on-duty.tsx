import type { Shift } from '@vedette/shared'
import { DAY_MS, MAX_SHIFT_DAYS } from '@vedette/shared/tables'
import { Fragment } from 'react'
import { personText } from '../lib/person.ts'
import { shiftTime } from '../lib/shift-time.ts'
import { escalation } from '../messages/escalation.ts'

const text = escalation.duty

export const PersonOnDuty = ({ shift }: { shift: Shift }) => (
  <bdi className="font-medium [overflow-wrap:anywhere]">{personText(shift)}</bdi>
)

/** Who is on duty, and until when. */
export function OnDutyText({ current, zone }: { current: readonly Shift[]; zone: string }) {
  if (current.length === 0) return <span className="font-medium text-bad">{text.nobody}</span>
  return current.map((shift, index) => {
    // Shifts are read no further.
    const isEndless = Date.parse(shift.to) - Date.parse(shift.from) >= (MAX_SHIFT_DAYS - 1) * DAY_MS
    return (
      <Fragment key={shift.user_id}>
        {index > 0 && ', '}
        <PersonOnDuty shift={shift} />
        {!isEndless && <span className="text-muted"> {text.until(shiftTime(shift.to, zone))}</span>}
      </Fragment>
    )
  })
}
