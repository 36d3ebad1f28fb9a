import { type DutyEntry, entryOf } from '../compare.ts'
import type { SourceFiles } from '../files.ts'
import { listOf, objectOf, textOf } from '../json.ts'
import { emailsIn, schedulesIn } from './read.ts'

/** Who is on duty as the rendered entries of the saved schedules say, by the id of the schedule. Pure. */
export function renderedByPagerDuty(files: SourceFiles): Map<string, DutyEntry[]> {
  const emails = emailsIn(files)
  const rendered = schedulesIn(files).flatMap((schedule) => {
    const final = objectOf(schedule['final_schedule'])
    const [layered, shifts] = [final['rendered_schedule_entries'], final['computed_shift_assignments']]
    if (!Array.isArray(layered) && !Array.isArray(shifts)) return []
    const entries = [
      ...listOf(layered).flatMap((one) => {
        const user = objectOf(one['user'])
        return entryOf(
          one['start'],
          one['end'],
          emails.get(textOf(user['id'])) ?? (textOf(user['email']) || textOf(user['summary'])),
        )
      }),
      // Those of the API v3.
      ...listOf(shifts).flatMap((one) => {
        const id = textOf(objectOf(one['member'])['user_id'])
        return id === '' ? [] : entryOf(one['start_time'], one['end_time'], emails.get(id) ?? id)
      }),
    ]
    return [[textOf(schedule['id']), entries] as const]
  })
  return new Map(rendered)
}
