import { type ConfigurationResource, isTimeZone } from '@vedette/shared'
import { toAlertSource } from '../alert-source.ts'
import type { SourceFiles } from '../files.ts'
import { type Json, listOf, numberOf, objectOf, textOf, wordOf } from '../json.ts'
import {
  methodOf,
  moved,
  type Moved,
  nameOf,
  newNotes,
  type Notes,
  type People,
  personRow,
  refOf,
  refsById,
  type ReportRow,
  refused,
  switchOff,
  together,
} from '../model.ts'
import { repeatsOf, type StepDraft, toSteps } from '../steps.ts'
import { followedOf, type MemberNamed, overridesOf } from './calendars.ts'
import { readRoutes } from './routes.ts'
import { layersOf, type PeopleIn } from './shifts.ts'

/** The objects of `<name>.json`: a list, or the answer of the endpoint. */
export function endpoint(files: SourceFiles, name: string): Json[] {
  const all = files.get(`${name}.json`)
  return listOf(Array.isArray(all) ? all : objectOf(all)['results'])
}

const BY_PHONE = new Set(['notify-by-sms', 'notify-by-phone-call'])

/** Grafana OnCall names a contact method by what a rule does, and has it once; the API does not say the telephone, its database does. */
const reachOf = (rules: readonly Json[], phone: string) => ({
  rules: rules.length,
  methods: [...new Set(rules.map((rule) => wordOf(rule['type'])).filter((type) => type.startsWith('notify-')))].flatMap((type) =>
    methodOf(type, BY_PHONE.has(type) ? phone : ''),
  ),
})

const MAX_NAMED = 10

/** What of a database was not read. */
function dumpRows(files: SourceFiles): ReportRow[] {
  const leftOut = objectOf(files.get('dump.json'))['left_out']
  if (!Array.isArray(leftOut)) return []
  const names = leftOut.slice(0, MAX_NAMED).map(textOf).join(', ')
  const text = `${leftOut.length} columns of its tables are not read: ${names}${leftOut.length > MAX_NAMED ? ', …' : ''}`
  const notes = { ...newNotes(), remarks: leftOut.length === 0 ? [] : [text] }
  return [moved({ kind: 'database', id: 'grafana-oncall', name: 'Grafana OnCall' }, [], notes)]
}

export const integrationsIn = (files: SourceFiles): Json[] => endpoint(files, 'integrations')

const SWITCH_OFF =
  'Grafana OnCall goes on notifying until you switch it off, in this order: 1. give the senders of each integration their new address, ' +
  '2. put the integrations into maintenance, 3. resolve open alert groups, 4. delete the integrations'
/** How often a chain that repeats itself does. */
const REPEATS = 5

/** One file an endpoint of the API of Grafana OnCall. Pure. */
export function readGrafanaOnCall(files: SourceFiles, people: People, nowMs: number): Moved {
  const users = endpoint(files, 'users')
  const emails = new Map(users.map((user) => [textOf(user['id']), textOf(user['email'])]))
  const peopleIn: PeopleIn = (ids, of, notes) =>
    (Array.isArray(ids) ? ids : []).flatMap((id: unknown) => {
      const email = emails.get(textOf(id)) ?? ''
      const member = email === '' ? undefined : people.idOf(email)
      if (member === undefined) notes.losses.push(`${of}: ${email || textOf(id)} is no member here`)
      return member ?? []
    })
  const rules = Map.groupBy(endpoint(files, 'personal_notification_rules'), (rule) => textOf(rule['user_id']))
  const byName = new Map(
    users.flatMap((user) => [user['username'], user['email']].map((name) => [nameKey(textOf(name)), textOf(user['email'])])),
  )
  const memberOf: MemberNamed = (name) => people.idOf(byName.get(nameKey(name)) || name)
  const schedules = readSchedules(files, peopleIn, memberOf, nowMs)
  const chains = readChains(
    endpoint(files, 'escalation_chains'),
    endpoint(files, 'escalation_policies'),
    peopleIn,
    refsById(schedules),
  )
  return together([
    {
      resources: [],
      report: users.map((user) =>
        personRow(
          { kind: 'user', id: textOf(user['id']), name: textOf(user['email']) },
          people,
          reachOf(rules.get(textOf(user['id'])) ?? [], textOf(user['phone'])),
        ),
      ),
    },
    schedules,
    chains,
    readIntegrations(integrationsIn(files), endpoint(files, 'routes'), refsById(chains)),
    { resources: [], report: dumpRows(files) },
    switchOff('grafana-oncall', 'Grafana OnCall', SWITCH_OFF),
  ])
}

const FOLLOWS =
  'it follows its calendar from now on, which is read once a day: who is on duty by it is known within a minute after the plan is applied'

const nameKey = (name: string): string => name.trim().toLowerCase()

function readSchedules(files: SourceFiles, peopleIn: PeopleIn, memberOf: MemberNamed, nowMs: number): Moved {
  const byId = new Map(endpoint(files, 'on_call_shifts').map((shift) => [textOf(shift['id']), shift]))
  const resources: ConfigurationResource[] = []
  const report = endpoint(files, 'schedules').map((schedule) => {
    const source = { kind: 'schedule', id: textOf(schedule['id']), name: textOf(schedule['name']) }
    const given = textOf(schedule['time_zone']) || 'UTC'
    const isCalendar = wordOf(schedule['type']) === 'ical'
    const ids = Array.isArray(schedule['shifts']) ? schedule['shifts'].map(textOf) : []
    const missing = ids.find((id) => !byId.has(id))
    if (missing !== undefined) return refused(source, `its shift ${missing} is not in on_call_shifts.json`)
    const own = ids.map((id) => byId.get(id) as Json)
    // Shifts may have a zone of their own, as all do that were made on the page.
    const [first, ...others] = new Set(own.map((shift) => textOf(shift['time_zone']) || given))
    const zone = first !== undefined && others.length === 0 ? first : given
    if (!isTimeZone(zone)) return refused(source, `${zone} is no time zone`)
    const notes = newNotes()
    const layers = layersOf(own, zone, peopleIn, nowMs, notes)
    if (typeof layers === 'string') return refused(source, layers)
    const hasOverrides = textOf(schedule['ical_url_overrides']) !== ''
    const kinds = [...(isCalendar ? (['own'] as const) : []), ...(hasOverrides ? (['overrides'] as const) : [])]
    const [followed] = kinds
    const url = followed && followedOf(files, schedule, followed)
    if (url !== undefined) notes.changes.push(FOLLOWS)
    const saved = url === undefined ? kinds : kinds.slice(1)
    const overrides = saved.length === 0 ? [] : overridesOf(files, schedule, saved, zone, memberOf, nowMs, notes)
    if (typeof overrides === 'string' && isCalendar && url === undefined) return refused(source, overrides)
    if (typeof overrides === 'string') notes.losses.push(`the calendar of its overrides: ${overrides}`)
    const ref = refOf('grafana-oncall', 'schedules', source.id)
    const dated = {
      ...(typeof overrides !== 'string' && overrides.length > 0 && { overrides }),
      ...(url !== undefined && { ical_url: url }),
    }
    resources.push({ kind: 'schedule', ref, spec: { name: nameOf(source.name), time_zone: zone, layers, ...dated } })
    return moved(source, [`schedule:${ref}`], notes)
  })
  return { resources, report }
}

function readChains(
  chains: readonly Json[],
  policies: readonly Json[],
  peopleIn: PeopleIn,
  schedules: ReadonlyMap<string, string>,
): Moved {
  const ofChain = Map.groupBy(policies, (policy) => textOf(policy['escalation_chain_id']))
  const resources: ConfigurationResource[] = []
  const report = chains.map((chain) => {
    const source = { kind: 'escalation_chain', id: textOf(chain['id']), name: textOf(chain['name']) }
    const own = (ofChain.get(source.id) ?? []).toSorted(
      (one, other) => (numberOf(one['position']) ?? 0) - (numberOf(other['position']) ?? 0),
    )
    const notes = newNotes()
    const steps = toSteps(draftsOf(own, peopleIn, schedules, notes), notes)
    if (steps.length === 0) return refused(source, 'nobody whom it notifies is here')
    const ref = refOf('grafana-oncall', 'escalation_chains', source.id)
    const repeats = repeatsOf(own.some(({ type }) => wordOf(type) === 'repeat-escalation') ? REPEATS : 0, notes)
    resources.push({ kind: 'escalation_policy', ref, spec: { name: nameOf(source.name), steps, repeats } })
    return moved(source, [`escalation_policy:${ref}`], notes)
  })
  return { resources, report }
}

const MINIMUM_WAIT = 60
const LAST_WAIT = 300

/** What is notified without a wait in between is one step. */
function draftsOf(
  policies: readonly Json[],
  peopleIn: PeopleIn,
  schedules: ReadonlyMap<string, string>,
  notes: Notes,
): StepDraft[] {
  const drafts: { schedules: string[]; users: string[]; waitSeconds: number }[] = []
  let waited = true
  let beforeSeconds = 0
  for (const [index, policy] of policies.entries()) {
    const [type, of] = [wordOf(policy['type']), `step ${index + 1}`]
    if (type === 'repeat-escalation') continue
    if (type === 'wait') {
      const last = drafts.at(-1)
      const seconds = numberOf(policy['duration']) ?? MINIMUM_WAIT
      if (last) last.waitSeconds += seconds
      else beforeSeconds += seconds
      waited = true
      continue
    }
    const schedule = schedules.get(textOf(policy['notify_on_call_from_schedule']))
    const found = {
      schedules: type === 'notify-on-call-from-schedule' && schedule !== undefined ? [schedule] : [],
      users: ['notify-persons', 'notify-person-next-each-time'].includes(type)
        ? peopleIn(policy['persons_to_notify'] ?? policy['persons_to_notify_next_each_time'], of, notes)
        : [],
    }
    if (type === 'notify-person-next-each-time')
      notes.changes.push(`${of} notifies all of its people, not the next one each time`)
    else if (type !== 'notify-persons' && found.schedules.length === 0) notes.losses.push(`${of}: "${type}" does not come`)
    if (waited) drafts.push({ ...found, waitSeconds: 0 })
    else {
      drafts.at(-1)?.schedules.push(...found.schedules)
      drafts.at(-1)?.users.push(...found.users)
    }
    waited = false
  }
  if (beforeSeconds > 0) notes.changes.push(`its first step is notified at once, not after ${beforeSeconds} s`)
  const last = drafts.at(-1)
  if (last?.waitSeconds === 0) last.waitSeconds = LAST_WAIT
  return drafts
}

const SENDERS: Readonly<Record<string, string>> = {
  alertmanager: 'alertmanager',
  grafana: 'grafana',
  'grafana-alerting': 'grafana',
  zabbix: 'zabbix',
  'amazon-sns': 'sns',
  'inbound-email': 'email',
  'uptime-kuma': 'uptime_kuma',
  webhook: 'generic',
  'formatted-webhook': 'generic',
}

function readIntegrations(integrations: readonly Json[], routes: readonly Json[], chains: ReadonlyMap<string, string>): Moved {
  const ofIntegration = Map.groupBy(routes, (route) => textOf(route['integration_id']))
  const made = integrations.map((integration) => {
    const source = { kind: 'integration', id: textOf(integration['id']), name: textOf(integration['name']) }
    const notes = newNotes()
    const type = wordOf(integration['type'])
    const known = SENDERS[type]
    if (known === undefined) notes.changes.push(`its type "${type}" is read as JSON of any form`)
    const usual = objectOf(integration['default_route'])
    const others = (ofIntegration.get(source.id) ?? []).filter((route) => textOf(route['id']) !== textOf(usual['id']))
    const { routes: read, all } = readRoutes(
      others.filter((route) => route['is_the_last_route'] !== true),
      chains,
      notes,
    )
    const policy = all ?? chains.get(textOf(usual['escalation_chain_id']))
    if (policy === undefined) notes.changes.push('it names no escalation chain that comes: choose an escalation policy')
    const sender = { name: source.name, type: known ?? 'generic', policy, routes: read }
    return toAlertSource(source, refOf('grafana-oncall', 'integrations', source.id), sender, notes)
  })
  return { resources: made.flatMap(({ resources }) => resources), report: made.map(({ row }) => row) }
}
