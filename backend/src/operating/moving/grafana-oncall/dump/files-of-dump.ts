import { endOf } from '../../address.ts'
import type { SourceFiles } from '../../files.ts'
import { listOf, objectOf, textOf } from '../../json.ts'
import type { Dump, DumpRow } from './tables.ts'

// The numbers are those of Grafana OnCall's models.
const WAIT = 0
const QUEUE = new Set([11, 20])
const STEPS: Readonly<Record<number, string>> = {
  0: 'wait',
  2: 'notify_whole_channel',
  3: 'repeat_escalation',
  4: 'resolve',
  5: 'notify_user_group',
  6: 'notify_on_call_from_schedule',
  8: 'notify_user_group',
  9: 'notify_on_call_from_schedule',
  11: 'notify_person_next_each_time',
  12: 'notify_if_time_from_to',
  13: 'notify_persons',
  14: 'notify_persons',
  15: 'notify_if_num_alerts_in_window',
  16: 'trigger_webhook',
  17: 'notify_team_members',
  18: 'notify_team_members',
  19: 'declare_incident',
  20: 'notify_person_next_each_time',
}
const NOTIFY = 1
const METHODS: Readonly<Record<number, string>> = {
  0: 'slack',
  1: 'sms',
  2: 'phone_call',
  3: 'telegram',
  5: 'mobile_app',
  6: 'mobile_app',
  8: 'email',
}
const FREQUENCIES = ['daily', 'weekly', 'monthly', 'hourly']
const SHIFT_TYPES = ['single_event', 'recurrent_event', 'rolling_users', 'override']
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']
const ROUTE_TYPES = ['regex', 'jinja2', 'labels']

/** The files that the API's answers would be, and `dump.json` with what was not read. Pure. */
export function filesOfDump(dump: Dump): SourceFiles {
  const of = (table: string) => dump.rows.get(table) ?? []
  const gone = new Set(
    of('user_management_organization').flatMap((row) => (row['deleted_at'] === null ? [] : [keyOf(row['id'])])),
  )
  const isHere = (row: DumpRow) => !gone.has(keyOf(row['organization_id']))
  const users = of('user_management_user').filter((row) => isHere(row) && isTrue(row['is_active']))
  const idOf = new Map(users.map((row) => [keyOf(row['id']), textOf(row['public_primary_key'])]))
  const publicIds = (table: string) => new Map(of(table).map((row) => [keyOf(row['id']), textOf(row['public_primary_key'])]))
  const [chains, schedules] = [publicIds('alerts_escalationchain'), publicIds('schedules_oncallschedule')]
  const usersOf = (table: string, key: string) => groupBy(of(table), key, (row) => idOf.get(keyOf(row['user_id'])) ?? [])
  const inShifts = usersOf('schedules_customoncallshift_users', 'customoncallshift_id')
  const inSteps = usersOf('alerts_escalationpolicy_notify_to_users_queue', 'escalationpolicy_id')
  return new Map<string, unknown>([
    [
      'users.json',
      users.map((row) => ({
        id: row['public_primary_key'],
        username: row['username'],
        email: row['email'],
        phone: row['_verified_phone_number'],
      })),
    ],
    ['personal_notification_rules.json', of('base_usernotificationpolicy').flatMap((row) => ruleOf(row, idOf))],
    ['on_call_shifts.json', of('schedules_customoncallshift').map((row) => shiftOf(row, inShifts))],
    ...scheduleFiles(dump, isHere),
    [
      'escalation_chains.json',
      of('alerts_escalationchain')
        .filter(isHere)
        .map((row) => ({ id: row['public_primary_key'], name: row['name'] })),
    ],
    ['escalation_policies.json', of('alerts_escalationpolicy').map((row) => stepOf(row, chains, schedules, inSteps))],
    ...integrationFiles(dump, isHere, chains),
    ['dump.json', { left_out: dump.leftOut }],
  ])
}

/** Keys are numbers in SQLite, and texts in a dump. */
const keyOf = (value: unknown): string => textOf(value)
const numberIn = (value: unknown): number | undefined =>
  value === null || value === undefined || textOf(value) === '' ? undefined : Number(value)
const isTrue = (value: unknown): boolean => value === 1 || value === 't' || value === 'true'

function jsonIn(value: unknown): unknown {
  try {
    return JSON.parse(textOf(value) || 'null')
  } catch {
    return null
  }
}

function groupBy(
  rows: readonly DumpRow[],
  key: string,
  valueOf: (row: DumpRow) => string | readonly string[],
): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row[key])) ?? []
    group.push(...[valueOf(row)].flat())
    groups.set(keyOf(row[key]), group)
  }
  return groups
}

const INTERVAL = /^(?:(-?\d+) days? ?)?(?:(\d+):(\d\d):(\d\d)(?:\.\d+)?)?$/

/** Microseconds in SQLite, `7 days` or `1 day 08:00:00` in PostgreSQL. */
function secondsOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value / 1_000_000
  const [found, days = 0, hours = 0, minutes = 0, seconds = 0] = INTERVAL.exec(textOf(value)) ?? []
  return found ? Number(days) * 86_400 + Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds) : undefined
}

const DATE = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.\d+)?([+-]\d\d(?::?\d\d)?)?$/

/** A local time of its zone, which the database has as if it were one of UTC; PostgreSQL writes it in the zone of its session. */
function localOf(value: unknown): string | null {
  const [, day, time, offset = '+00'] = DATE.exec(textOf(value)) ?? []
  const ms = Date.parse(`${day}T${time}${offset.length === 3 ? `${offset}:00` : offset}`)
  return Number.isNaN(ms) ? null : new Date(ms).toISOString().slice(0, 19)
}

function ruleOf(row: DumpRow, idOf: ReadonlyMap<string, string>): object[] {
  const user = idOf.get(keyOf(row['user_id']))
  if (user === undefined) return []
  const type = numberIn(row['step']) === NOTIFY ? `notify_by_${METHODS[numberIn(row['notify_by']) ?? -1] ?? 'other'}` : 'wait'
  return [{ id: row['public_primary_key'], user_id: user, type }]
}

/** An empty list says nothing. */
function listIn(value: unknown): unknown[] | null {
  const list = jsonIn(value)
  return Array.isArray(list) && list.length > 0 ? list : null
}

/** Lists and dictionaries of `{ "7": "U123" }` stand for people together. */
const rollingOf = (value: unknown): string[][] | null =>
  Array.isArray(value) ? listOf(value).map((group) => Object.values(group).map(textOf)) : null

function shiftOf(row: DumpRow, usersOf: ReadonlyMap<string, string[]>): object {
  const users = usersOf.get(keyOf(row['id'])) ?? []
  const rolling = rollingOf(jsonIn(row['rolling_users']))
  return {
    id: row['public_primary_key'],
    name: row['name'] ?? row['public_primary_key'],
    type: SHIFT_TYPES[numberIn(row['type']) ?? -1] ?? textOf(row['type']),
    time_zone: row['time_zone'],
    level: numberIn(row['priority_level']) ?? 0,
    start: localOf(row['start']),
    rotation_start: localOf(row['rotation_start']),
    duration: secondsOf(row['duration']),
    frequency: FREQUENCIES[numberIn(row['frequency']) ?? -1] ?? null,
    interval: numberIn(row['interval']) ?? null,
    until: localOf(row['until']),
    week_start: WEEKDAYS[numberIn(row['week_start']) ?? 6],
    by_day: listIn(row['by_day']),
    by_month: listIn(row['by_month']),
    by_monthday: listIn(row['by_monthday']),
    start_rotation_from_user_index: numberIn(row['start_rotation_from_user_index']) ?? null,
    ...(users.length > 0 && { users }),
    ...(rolling && { rolling_users: rolling }),
  }
}

/** `schedules.json` and the calendars that the database keeps of schedules. */
function scheduleFiles({ rows }: Dump, isHere: (row: DumpRow) => boolean): [string, unknown][] {
  const child = (table: string) => new Map((rows.get(table) ?? []).map((row) => [keyOf(row['oncallschedule_ptr_id']), row]))
  const [feeds, calendars, web] = ['ical', 'calendar', 'web'].map((type) => child(`schedules_oncallschedule${type}`)) as [
    Map<string, DumpRow>,
    Map<string, DumpRow>,
    Map<string, DumpRow>,
  ]
  const shiftRows = rows.get('schedules_customoncallshift') ?? []
  const shiftIds = new Map(shiftRows.map((row) => [keyOf(row['id']), textOf(row['public_primary_key'])]))
  const own = groupBy(shiftRows, 'schedule_id', (row) => textOf(row['public_primary_key']))
  const shared = groupBy(
    rows.get('schedules_oncallschedulecalendar_custom_on_call_shifts') ?? [],
    'oncallschedulecalendar_id',
    (row) => shiftIds.get(keyOf(row['customoncallshift_id'])) ?? [],
  )
  const files: [string, unknown][] = []
  const all = (rows.get('schedules_oncallschedule') ?? []).filter(isHere).map((row) => {
    const [key, id] = [keyOf(row['id']), textOf(row['public_primary_key'])]
    const feed = feeds.get(key)
    const calendar = calendars.get(key)
    const addresses = objectOf(feed ?? calendar)
    const saved = {
      '': feed && row['cached_ical_file_primary'],
      '-overrides': addresses['ical_url_overrides'] && row['cached_ical_file_overrides'],
    }
    for (const [end, text] of Object.entries(saved)) if (text) files.push([`schedules/${id}${end}.ics`, text])
    return {
      id,
      name: row['name'],
      type: feed ? 'ical' : calendar ? 'calendar' : 'web',
      time_zone: textOf(objectOf(calendar ?? web.get(key))['time_zone']) || 'UTC',
      ical_url_primary: addresses['ical_url_primary'] ?? null,
      ical_url_overrides: addresses['ical_url_overrides'] ?? null,
      shifts: [...new Set([...(shared.get(key) ?? []), ...(own.get(key) ?? [])])],
    }
  })
  return [['schedules.json', all], ...files]
}

function stepOf(
  row: DumpRow,
  chains: ReadonlyMap<string, string>,
  schedules: ReadonlyMap<string, string>,
  usersOf: ReadonlyMap<string, string[]>,
): object {
  const step = numberIn(row['step']) ?? -1
  const people = usersOf.get(keyOf(row['id'])) ?? []
  return {
    id: row['public_primary_key'],
    escalation_chain_id: chains.get(keyOf(row['escalation_chain_id'])) ?? null,
    position: numberIn(row['order']) ?? 0,
    type: STEPS[step] ?? `step ${step}`,
    ...(step === WAIT && { duration: secondsOf(row['wait_delay']) }),
    notify_on_call_from_schedule: schedules.get(keyOf(row['notify_schedule_id'])) ?? null,
    [QUEUE.has(step) ? 'persons_to_notify_next_each_time' : 'persons_to_notify']: people,
  }
}

/** `integrations.json` and `routes.json`. */
function integrationFiles(
  { rows }: Dump,
  isHere: (row: DumpRow) => boolean,
  chains: ReadonlyMap<string, string>,
): [string, unknown][] {
  const channels = (rows.get('alerts_alertreceivechannel') ?? []).filter((row) => isHere(row) && row['deleted_at'] === null)
  const ids = new Map(channels.map((row) => [keyOf(row['id']), textOf(row['public_primary_key'])]))
  const routes = (rows.get('alerts_channelfilter') ?? []).flatMap((row) => {
    const integration = ids.get(keyOf(row['alert_receive_channel_id']))
    return integration === undefined ? [] : routeOf(row, integration, chains)
  })
  const integrations = channels.map((row) => {
    const id = textOf(row['public_primary_key'])
    const type = textOf(row['integration']).replace(/^legacy_/, '')
    return {
      id,
      name: row['verbal_name'] ?? type,
      type,
      // The host is not in the database; of the token, which is a secret, its end is enough.
      link: `/integrations/v1/${type}/${endOf(textOf(row['token']))}/`,
      default_route: routes.find((route) => route.integration_id === id && route.is_the_last_route) ?? null,
    }
  })
  return [
    ['integrations.json', integrations],
    ['routes.json', routes],
  ]
}

const routeOf = (row: DumpRow, integration: string, chains: ReadonlyMap<string, string>) => ({
  id: textOf(row['public_primary_key']),
  integration_id: integration,
  escalation_chain_id: chains.get(keyOf(row['escalation_chain_id'])) ?? null,
  routing_type: ROUTE_TYPES[numberIn(row['filtering_term_type']) ?? 0] ?? 'regex',
  routing_regex: row['filtering_term'] ?? null,
  labels: listOf(jsonIn(row['filtering_labels'])).map(({ key, value }) => ({
    key: textOf(objectOf(key)['name']),
    value: textOf(objectOf(value)['name']),
  })),
  position: numberIn(row['order']) ?? 0,
  is_the_last_route: isTrue(row['is_default']),
})
