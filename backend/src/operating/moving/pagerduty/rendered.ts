import { type DutyEntry, entryOf } from '../compare.ts'
import type { SourceFiles } from '../files.ts'
import { listOf, objectOf, textOf } from '../json.ts'
import { emailsIn, schedulesIn } from './read.ts'

/** Who is on duty as the rendered entries of the saved schedules say, by the id of the schedule. Pure. */
export function renderedByPagerDuty(files: SourceFiles): Map<string, DutyEntry[]> {
  const emails = emailsIn(files)
  const rendered = schedulesIn(files).flatMap((schedule) => {
    const final = objectOf(schedule['final_schedule'])['rendered_schedule_entries']
    if (!Array.isArray(final)) return []
    const entries = listOf(final).flatMap((one) => {
      const user = objectOf(one['user'])
      const email = emails.get(textOf(user['id'])) ?? (textOf(user['email']) || textOf(user['summary']))
      return entryOf(one['start'], one['end'], email)
    })
    return [[textOf(schedule['id']), entries] as const]
  })
  return new Map(rendered)
}
