import type { ConfigurationResource } from '@vedette/shared'
import { toAlertSource } from '../alert-source.ts'
import type { SourceFiles } from '../files.ts'
import { instantOf, type Json, listOf, numberOf, objectOf, textOf, wordOf } from '../json.ts'
import {
  methodOf,
  moved,
  type Moved,
  type MovedSchedules,
  nameOf,
  newNotes,
  type Notes,
  type People,
  personRow,
  refOf,
  refsById,
  refused,
  switchOff,
  together,
} from '../model.ts'
import { repeatsOf, toSteps } from '../steps.ts'
import { toWindows } from '../windows.ts'
import { readSchedules } from './schedules.ts'
import type { MemberOf } from './specs.ts'

/** The objects of an endpoint: of `<name>.json`, with what files of single objects have of them in place. */
export function endpoint(files: SourceFiles, name: string, one: string): Json[] {
  const all = files.get(`${name}.json`)
  const found = new Map(listOf(Array.isArray(all) ? all : objectOf(all)[name]).map((object) => [textOf(object['id']), object]))
  for (const [path, content] of files) {
    const id = new RegExp(`^${name}/([^/]+)\\.json$`).exec(path)?.[1]
    if (id === undefined) continue
    const object = objectOf(objectOf(content)[one] ?? content)
    found.set(id, { ...found.get(id), ...object })
  }
  return [...found.values()]
}

/** The schedules, each with its overrides and custom shifts, from which the rendered entries are read too. */
export function schedulesIn(files: SourceFiles): Json[] {
  return endpoint(files, 'schedules', 'schedule').map((schedule) => {
    const own = ['overrides', 'custom_shifts'].flatMap((name) => {
      const saved = files.get(`schedules/${textOf(schedule['id'])}/${name}.json`)
      return saved === undefined ? [] : [[name, Array.isArray(saved) ? saved : objectOf(saved)[name]] as const]
    })
    return { ...schedule, ...Object.fromEntries(own) }
  })
}

const SWITCH_OFF =
  'PagerDuty goes on notifying until you switch it off, in this order: 1. give the senders of each service their new address, ' +
  '2. disable the services, 3. resolve open incidents, 4. end the account'

export const emailsIn = (files: SourceFiles): Map<string, string> =>
  new Map(endpoint(files, 'users', 'user').map((user) => [textOf(user['id']), textOf(user['email'])]))

export const servicesIn = (files: SourceFiles): Json[] => endpoint(files, 'services', 'service')

const addressOf = (method: Json): string => {
  const [address, country] = [textOf(method['address']), textOf(method['country_code'])]
  return country === '' ? address : `+${country} ${address}`
}

/** One file an endpoint of PagerDuty’s REST API. Pure. */
export function readPagerDuty(files: SourceFiles, people: People, nowMs: number): Moved {
  const users = endpoint(files, 'users', 'user')
  const emails = emailsIn(files)
  const emailOf = (user: Json) => emails.get(textOf(user['id'])) || textOf(user['email'])
  const memberOf: MemberOf = (user, of, notes, isAlone = false) => {
    const email = emailOf(user)
    const id = email === '' ? undefined : people.idOf(email)
    const isGone = users.length > 0 && !emails.has(textOf(user['id']))
    if (isGone && isAlone)
      notes.remarks.push(
        `${of}: ${textOf(user['summary']) || textOf(user['id'])} is no user there any more, and nobody is on duty here either`,
      )
    else if (id === undefined)
      notes.losses.push(`${of}: ${email || textOf(user['summary']) || textOf(user['id'])} is no member here`)
    return id
  }
  const schedules = readSchedules(schedulesIn(files), memberOf, nowMs)
  const policies = readPolicies(endpoint(files, 'escalation_policies', 'escalation_policy'), memberOf, schedules.refs)
  return together([
    {
      resources: [],
      report: users.map((user) =>
        personRow({ kind: 'user', id: textOf(user['id']), name: textOf(user['email']) }, people, {
          rules: listOf(user['notification_rules']).length,
          methods: listOf(user['contact_methods']).flatMap((method) => methodOf(wordOf(method['type']), addressOf(method))),
        }),
      ),
    },
    schedules,
    policies,
    readServices(servicesIn(files), refsById(policies)),
    readMaintenance(endpoint(files, 'maintenance_windows', 'maintenance_window'), nowMs),
    switchOff('pagerduty', 'PagerDuty', SWITCH_OFF),
  ])
}

function readPolicies(policies: readonly Json[], memberOf: MemberOf, schedules: MovedSchedules['refs']): Moved {
  const resources: ConfigurationResource[] = []
  const report = policies.map((policy) => {
    const source = {
      kind: 'escalation_policy',
      id: textOf(policy['id']),
      name: textOf(policy['name']) || textOf(policy['summary']),
    }
    const notes = newNotes()
    const steps = toSteps(
      listOf(policy['escalation_rules']).map((rule, index) => draftOf(rule, `step ${index + 1}`, memberOf, schedules, notes)),
      notes,
    )
    if (steps.length === 0) return refused(source, 'nobody whom it notifies is here')
    const ref = refOf('pagerduty', 'escalation_policies', source.id)
    const repeats = repeatsOf(numberOf(policy['num_loops']) ?? 0, notes)
    resources.push({ kind: 'escalation_policy', ref, spec: { name: nameOf(source.name), steps, repeats } })
    return moved(source, [`escalation_policy:${ref}`], notes)
  })
  return { resources, report }
}

function draftOf(rule: Json, of: string, memberOf: MemberOf, refs: MovedSchedules['refs'], notes: Notes) {
  const schedules: string[] = []
  const users: string[] = []
  if (wordOf(objectOf(rule['escalation_rule_assignment_strategy'])['type']) === 'round-robin')
    notes.changes.push(`${of} notifies all of its targets, not one after the other`)
  for (const target of listOf(rule['targets'])) {
    const [type, id] = [wordOf(target['type']).replace(/(-v3)?-reference$/, ''), textOf(target['id'])]
    const own = type === 'schedule' ? refs.get(id) : undefined
    const user = type === 'user' ? memberOf(target, of, notes) : undefined
    if (user !== undefined) users.push(user)
    if (own) schedules.push(...own)
    if (type !== 'user' && !own)
      notes.losses.push(`${of}: the ${type || 'target'} ${textOf(target['summary']) || id} does not come`)
  }
  return { schedules, users, waitSeconds: (numberOf(rule['escalation_delay_in_minutes']) ?? 30) * 60 }
}

function readServices(services: readonly Json[], policies: ReadonlyMap<string, string>): Moved {
  const made = services.map((service) => {
    const source = { kind: 'service', id: textOf(service['id']), name: textOf(service['name']) || textOf(service['summary']) }
    if (wordOf(service['status']) === 'disabled')
      return { resources: [], row: refused(source, 'it is switched off at the source') }
    const notes = newNotes()
    const policy = policies.get(textOf(objectOf(service['escalation_policy'])['id']))
    if (policy === undefined) notes.changes.push('it names no escalation policy that comes: choose one')
    const sender = { name: source.name, type: 'pagerduty_v2', policy }
    return toAlertSource(source, refOf('pagerduty', 'services', source.id), sender, notes)
  })
  return { resources: made.flatMap(({ resources }) => resources), report: made.map(({ row }) => row) }
}

function readMaintenance(windows: readonly Json[], nowMs: number): Moved {
  const made = windows.map((window) => {
    const id = textOf(window['id'])
    const source = { kind: 'maintenance_window', id, name: textOf(window['description']) || textOf(window['summary']) || id }
    const span = { startMs: instantOf(window['start_time']), endMs: instantOf(window['end_time']) }
    const services = listOf(window['services']).map((service) => textOf(service['id']))
    return toWindows(source, refOf('pagerduty', 'maintenance_windows', id), span, services, nowMs)
  })
  return { resources: made.flatMap(({ resources }) => resources), report: made.flatMap(({ report }) => report) }
}
