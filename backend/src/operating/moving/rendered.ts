import type { DutyEntry } from './compare.ts'
import type { SourceFiles } from './files.ts'
import { instantOf, type Json, listOf, objectOf, partOf, textOf } from './json.ts'
import { peopleOf } from './model.ts'
import { readAccounts } from './opsgenie/accounts.ts'
import { filesOf } from './opsgenie/read.ts'
import { emailsIn, schedulesIn } from './pagerduty/read.ts'

/** Who is on duty in the schedules of a tool as it says itself, by the id of the schedule; those that were not saved are missing. */
export const RENDERED: Readonly<Record<string, (files: SourceFiles) => Map<string, DutyEntry[]>>> = {
  opsgenie(files) {
    const accounts = readAccounts(filesOf(files, 'users'), filesOf(files, 'teams'), peopleOf([]))
    const emailOf = (recipient: Json) => accounts.emailOf(recipient) || textOf(recipient['name'])
    const timelines = [...files].flatMap(([path, content]) => {
      const data = partOf(content, 'data')
      if (data['finalTimeline'] === undefined) return []
      // As /v2/schedules/<id>/timeline is saved.
      const id = textOf(objectOf(data['_parent'])['id']) || (path.split('/').at(-2) ?? '')
      const periods = listOf(objectOf(data['finalTimeline'])['rotations']).flatMap((one) => listOf(one['periods']))
      const entries = periods.flatMap((one) => {
        const email = emailOf(objectOf(one['recipient']))
        return email === '' ? [] : entryOf(one['startDate'], one['endDate'], email)
      })
      return [[id, entries] as const]
    })
    return new Map(timelines)
  },
  pagerduty(files) {
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
  },
}

function entryOf(from: unknown, to: unknown, email: string): DutyEntry[] {
  const [fromMs, toMs] = [instantOf(from), instantOf(to)]
  return fromMs === undefined || toMs === undefined ? [] : [{ fromMs, toMs, email }]
}
