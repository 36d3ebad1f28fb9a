import { instantOf, type Json, listOf, numberOf, objectOf, textOf, wordOf } from '../json.ts'
import type { Rotation, TurnLength } from '../layers.ts'
import type { Notes } from '../model.ts'
import { DAY_MINUTES, spanOf, type WeekSpan } from '../restrictions.ts'
import type { Accounts } from './accounts.ts'

const DAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY']
const UNITS: Readonly<Record<string, TurnLength['unit']>> = { hourly: 'hour', daily: 'day', weekly: 'week' }

/** A rotation of Opsgenie, or why it cannot be read; what is missing of it is noted. Pure. */
export function readRotation(rotation: Json, accounts: Accounts, notes: Notes): Rotation | string {
  const name = textOf(rotation['name']) || 'Rotation'
  const startMs = instantOf(rotation['startDate'])
  const unit = UNITS[wordOf(rotation['type'])]
  const endMs = rotation['endDate'] === undefined || rotation['endDate'] === null ? undefined : instantOf(rotation['endDate'])
  if (startMs === undefined) return `${name}: startDate ${JSON.stringify(rotation['startDate'])} is no instant with an offset`
  if (rotation['endDate'] && endMs === undefined) return `${name}: endDate ${JSON.stringify(rotation['endDate'])} is no instant`
  if (!unit) return `${name}: type ${JSON.stringify(rotation['type'])} is none of hourly, daily, weekly`
  const spans = readSpans(rotation['timeRestriction'], name, notes)
  if (typeof spans === 'string') return `${name}: ${spans}`
  const turns = listOf(rotation['participants']).map((one) => turnOf(one, name, accounts, notes))
  return { name, turns, startMs, endMs, length: { unit, count: numberOf(rotation['length']) ?? 1 }, spans }
}

/** Who is on duty in the turn of a participant; somebody who is no member here leaves it to nobody. */
function turnOf(participant: Json, name: string, accounts: Accounts, notes: Notes): string[] {
  const type = wordOf(participant['type'])
  if (type === 'none') return []
  if (type === 'user') return membersOf([participant], name, accounts, notes)
  if (type === 'team') {
    const members = accounts.team(participant)
    if (members) {
      notes.changes.push(`${name}: the team ${textOf(participant['name'])} is its members of today, all on duty together`)
      return membersOf(
        members.map((member) => objectOf(member['user'])),
        name,
        accounts,
        notes,
      )
    }
  }
  notes.losses.push(`${name}: nobody has the turn of the ${type || 'participant'} ${textOf(participant['name'])}`.trimEnd())
  return []
}

export function membersOf(users: readonly Json[], of: string, accounts: Accounts, notes: Notes): string[] {
  return users.flatMap((user) => {
    const id = accounts.memberOf(user)
    if (id === undefined) notes.losses.push(`${of}: ${accounts.emailOf(user) || textOf(user['id'])} is no member here`)
    return id ?? []
  })
}

/** The hours of a rotation, empty: always; or why they cannot be read. */
export function readSpans(value: unknown, name: string, notes: Notes): WeekSpan[] | string {
  const restriction = objectOf(value)
  const type = wordOf(restriction['type'])
  const all = [
    ...listOf(restriction['restrictions']),
    ...(restriction['restriction'] ? [objectOf(restriction['restriction'])] : []),
  ]
  if (all.length === 0) return []
  if (type === 'time-of-day') {
    const each = all.flatMap((one) => {
      const [from, to] = [minuteOf(one, 'start'), minuteOf(one, 'end')]
      const minutes = (to - from + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES
      return DAYS.map((_, day) => ({ from: day * DAY_MINUTES + from, minutes }))
    })
    return each
  }
  if (type !== 'weekday-and-time-of-day') return `timeRestriction has the unknown type ${JSON.stringify(restriction['type'])}`
  const spans: WeekSpan[] = []
  for (const one of all) {
    const [from, to] = (['start', 'end'] as const).map((end) => DAYS.indexOf(textOf(one[`${end}Day`]).toUpperCase())) as [
      number,
      number,
    ]
    if (from < 0 || to < 0)
      return `timeRestriction has ${JSON.stringify([one['startDay'], one['endDay']])}, which are no two days`
    if (numberOf(one['startHour']) === undefined || numberOf(one['endHour']) === undefined)
      notes.remarks.push(`${name}: hours that are missing in its restriction are read as 00:00`)
    spans.push(spanOf(from * DAY_MINUTES + minuteOf(one, 'start'), to * DAY_MINUTES + minuteOf(one, 'end')))
  }
  return spans
}

const minuteOf = (one: Json, end: 'start' | 'end'): number =>
  ((numberOf(one[`${end}Hour`]) ?? 0) * 60 + (numberOf(one[`${end}Min`]) ?? 0)) % DAY_MINUTES
