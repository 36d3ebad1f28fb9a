import type { ConfigurationResource } from '@vedette/shared'
import { type Json, listOf, numberOf, objectOf, partOf, textOf, wordOf } from '../json.ts'
import { moved, type Moved, type MovedSchedules, nameOf, newNotes, type Notes, refOf, refused } from '../model.ts'
import { repeatsOf, type StepDraft, toSteps } from '../steps.ts'
import type { Accounts } from './accounts.ts'
import { membersOf } from './rotations.ts'

const UNIT_SECONDS: Readonly<Record<string, number>> = { minutes: 60, hours: 3_600, days: 86_400 }
const LAST_WAIT_SECONDS = 300

/**
 * Escalations of Opsgenie. Their delays count from the alert on; ours from the step before, so that they become differences, and
 * rules of the same delay become one step. Pure.
 */
export function readEscalations(files: readonly unknown[], accounts: Accounts, { refs }: MovedSchedules): Moved {
  const resources: ConfigurationResource[] = []
  const report: Moved['report'] = []
  for (const file of files) {
    const escalation = partOf(file, 'escalation')
    const source = { kind: 'escalation', id: textOf(escalation['id']), name: textOf(escalation['name']) }
    const notes = newNotes()
    const rules = listOf(escalation['rules']).map((rule) => ({ rule, seconds: delayOf(rule) }))
    if (rules.some(({ seconds }) => seconds === undefined)) {
      report.push(refused(source, 'a delay is no number of minutes, hours or days'))
      continue
    }
    const repeat = objectOf(escalation['repeat'])
    const steps = toSteps(draftsOf(rules as Rule[], repeat, accounts, refs, notes), notes)
    if (steps.length === 0) {
      report.push(refused(source, 'nobody whom it notifies is here'))
      continue
    }
    const ref = refOf('opsgenie', 'escalations', source.id)
    const repeats = repeatsOfEscalation(repeat, notes)
    resources.push({ kind: 'escalation_policy', ref, spec: { name: nameOf(source.name), steps, repeats } })
    report.push(moved(source, [`escalation_policy:${ref}`], notes))
  }
  return { resources, report }
}

interface Rule {
  rule: Json
  seconds: number
}

function delayOf(rule: Json): number | undefined {
  const delay = objectOf(rule['delay'])
  const amount = numberOf(delay['timeAmount']) ?? 0
  const unit = UNIT_SECONDS[wordOf(delay['timeUnit']) || 'minutes']
  return unit === undefined || amount < 0 ? undefined : amount * unit
}

function draftsOf(
  rules: readonly Rule[],
  repeat: Json,
  accounts: Accounts,
  refs: MovedSchedules['refs'],
  notes: Notes,
): StepDraft[] {
  const delays = [...new Set(rules.map(({ seconds }) => seconds))].toSorted((one, other) => one - other)
  if ((delays[0] ?? 0) > 0) notes.changes.push(`its first step is notified at once, not after ${delays[0]} s`)
  const repeatSeconds = (numberOf(repeat['waitInterval']) ?? 0) * 60 || LAST_WAIT_SECONDS
  return delays.map((delay, index) => {
    const found = rules
      .filter(({ seconds }) => seconds === delay)
      .map(({ rule }) => recipientsOf(rule, `step ${index + 1}`, accounts, refs, notes))
    return {
      schedules: found.flatMap(({ schedules }) => schedules),
      users: found.flatMap(({ users }) => users),
      waitSeconds: delays[index + 1] === undefined ? repeatSeconds : (delays[index + 1] as number) - delay,
    }
  })
}

function recipientsOf(rule: Json, of: string, accounts: Accounts, refs: MovedSchedules['refs'], notes: Notes) {
  const recipient = objectOf(rule['recipient'])
  const [type, notify] = [wordOf(recipient['type']), wordOf(rule['notifyType']) || 'default']
  const name = textOf(recipient['name']) || textOf(recipient['username']) || textOf(recipient['id'])
  if (wordOf(rule['condition']) === 'if-not-closed')
    notes.changes.push(`${of} is not taken once somebody acknowledges; it was until the alert is closed`)
  const nobody = { schedules: [], users: [] }
  if (type === 'user') return { schedules: [], users: membersOf([recipient], of, accounts, notes) }
  if (type === 'schedule') {
    const schedules = refs.get(textOf(recipient['id'])) ?? refs.get(textOf(recipient['name'])) ?? []
    if (schedules.length === 0) notes.losses.push(`${of}: the schedule ${name} does not come`)
    else if (notify !== 'default') notes.changes.push(`${of} notifies who is on duty in ${name}, not "${notify}"`)
    return { schedules, users: [] }
  }
  if (type === 'team') {
    const members = accounts.team(recipient)
    const admins = members?.filter(({ role }) => wordOf(role) === 'admin')
    const users = members?.filter(({ role }) => wordOf(role) !== 'admin')
    const chosen = notify === 'admins' ? admins : notify === 'users' ? users : members
    if (chosen) {
      notes.changes.push(
        notify === 'default' || notify === 'random'
          ? `${of} notifies all members of the team ${name} of today, not "${notify}"`
          : `${of} notifies the members of the team ${name} of today`,
      )
      return {
        schedules: [],
        users: membersOf(
          chosen.map(({ user }) => objectOf(user)),
          of,
          accounts,
          notes,
        ),
      }
    }
  }
  notes.losses.push(`${of}: the ${type || 'recipient'} ${name} does not come`)
  return nobody
}

function repeatsOfEscalation(repeat: Json, notes: Notes): number {
  const count = (numberOf(repeat['waitInterval']) ?? 0) > 0 ? (numberOf(repeat['count']) ?? 0) : 0
  if (count > 0 && repeat['closeAlertAfterAll'] === true)
    notes.changes.push('an incident stays open after the last repetition; the alert was closed')
  if (count > 0 && repeat['resetRecipientStates'] === true)
    notes.changes.push('an acknowledged incident is not notified again by a repetition')
  return repeatsOf(count, notes)
}
