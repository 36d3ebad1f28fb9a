import { type DutyEntry, entryOf } from '../compare.ts'
import type { SourceFiles } from '../files.ts'
import { type Json, listOf, objectOf, partOf, textOf, wordOf } from '../json.ts'
import { peopleOf } from '../model.ts'
import { readAccounts } from './accounts.ts'
import { filesOf } from './read.ts'

/** Who is on duty as the saved timelines say, by the id of the schedule. Pure. */
export function renderedByOpsgenie(files: SourceFiles): Map<string, DutyEntry[]> {
  const accounts = readAccounts(filesOf(files, 'users'), filesOf(files, 'teams'), peopleOf([]))
  const emailOf = (recipient: Json) => accounts.emailOf(recipient) || textOf(recipient['name'])
  /** A team is on duty with all of its members. */
  const emailsOf = (period: Json) => {
    const recipient = objectOf(period['recipient'])
    const members = listOf(period['flattenedRecipients']).filter(({ type }) => wordOf(type) === 'user')
    const people = members.length > 0 && wordOf(recipient['type']) !== 'user' ? members : [recipient]
    return people.map(emailOf).filter((email) => email !== '')
  }
  const timelines = [...files].flatMap(([path, content]) => {
    const data = partOf(content, 'data')
    if (data['finalTimeline'] === undefined) return []
    // As /v2/schedules/<id>/timeline is saved.
    const id = textOf(objectOf(data['_parent'])['id']) || (path.split('/').at(-2) ?? '')
    const periods = listOf(objectOf(data['finalTimeline'])['rotations']).flatMap((one) => listOf(one['periods']))
    const entries = periods.flatMap((one) => emailsOf(one).flatMap((email) => entryOf(one['startDate'], one['endDate'], email)))
    return [[id, entries] as const]
  })
  return new Map(timelines)
}
