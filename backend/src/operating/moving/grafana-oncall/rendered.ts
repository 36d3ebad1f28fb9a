import { type DutyEntry, entryOf } from '../compare.ts'
import type { SourceFiles } from '../files.ts'
import { listOf, objectOf, textOf } from '../json.ts'
import { endpoint } from './read.ts'

const FINAL_SHIFTS = /^schedules\/([^/]+)\/final_shifts\.json$/

/** Who is on duty as the saved final shifts say, by the id of the schedule. Pure. */
export function renderedByGrafana(files: SourceFiles): Map<string, DutyEntry[]> {
  const emails = new Map(endpoint(files, 'users').map((user) => [textOf(user['id']), textOf(user['email'])]))
  const rendered = [...files].flatMap(([path, content]) => {
    const id = FINAL_SHIFTS.exec(path)?.[1]
    if (id === undefined) return []
    const shifts = listOf(Array.isArray(content) ? content : objectOf(content)['results'])
    const entries = shifts.flatMap((shift) => {
      const email = emails.get(textOf(shift['user_pk'])) || textOf(shift['user_email']) || textOf(shift['user_username'])
      return email === '' ? [] : entryOf(shift['shift_start'], shift['shift_end'], email)
    })
    return [[id, entries] as const]
  })
  return new Map(rendered)
}
