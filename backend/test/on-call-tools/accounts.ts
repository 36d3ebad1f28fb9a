import { DAY_MS } from '@vedette/shared'
import { type Account, grafanaDouble, opsgenieDouble, pagerDutyDouble, type Respond, splunkDouble } from './api-doubles.ts'

/** A small account of each tool: as its API has it, and as somebody saves it by hand. */
export interface SavedAccount {
  respond: Respond
  credentials: string[]
  /** The offline form, with keys that are whole. */
  files: Record<string, unknown>
}

export const NOW = Date.parse('2026-11-30T12:00:30Z')
const FROM = Date.parse('2026-11-30T12:00:00Z')
const day = (days: number) => new Date(FROM + days * DAY_MS).toISOString()
export const KEY = '0123456789abcdef0123456789abcdef'
const NAMES = ['ada', 'ben', 'cem']

function opsgenie(): SavedAccount {
  const users = NAMES.map((name) => ({ id: `u-${name}`, username: `${name}@example.com` }))
  const detailed = users.map((user) => ({ ...user, userContacts: [{ contactMethod: 'voice', to: '49-1511234567' }] }))
  const rule = { id: 'n1', name: 'New alert', actionType: 'create-alert' }
  const steps = [{ id: 'p1', contact: { method: 'voice', to: '49-1511234567' } }]
  const rotation = {
    id: 'r1',
    name: 'Weeks',
    type: 'weekly',
    length: 1,
    startDate: day(-30),
    participants: users.map(({ id, username }) => ({ type: 'user', id, username })),
  }
  const schedule = { id: 's1', name: 'Shop / night', timezone: 'Europe/Berlin', enabled: true, rotations: [rotation] }
  const override = { alias: 'o1', user: { type: 'user', username: 'ben@example.com' }, startDate: day(2), endDate: day(3) }
  const period = (from: number, to: number, name: string) => ({
    startDate: day(from),
    endDate: day(to),
    recipient: { type: 'user', name: `${name}@example.com` },
  })
  const timelineOf = (from: number, to: number, periods: object[]) => ({
    _parent: { id: 's1' },
    startDate: day(from),
    endDate: day(to),
    finalTimeline: { rotations: [{ id: 'r1', periods }] },
  })
  const escalation = {
    id: 'e1',
    name: 'Shop',
    rules: [
      { condition: 'if-not-acked', notifyType: 'default', delay: { timeAmount: 5 }, recipient: { type: 'schedule', id: 's1' } },
    ],
  }
  const team = { id: 't1', name: 'Ops', members: [{ user: users[0], role: 'admin' }] }
  const routing = [{ id: 'rr1', isDefault: true, notify: { type: 'escalation', id: 'e1' } }]
  const integration = { id: 'i1', name: 'Scripts', type: 'API', enabled: true, apiKey: KEY, ownerTeam: { id: 't1', name: 'Ops' } }
  const maintenance = {
    id: 'm1',
    description: 'Deploy',
    time: { startDate: day(3), endDate: day(4) },
    rules: [{ entity: { id: 'i1' } }],
  }
  const heartbeats = { heartbeats: [{ name: 'Backup', interval: 1, intervalUnit: 'days' }] }
  // A timeline that ends before the 90 days is read on from its end.
  const first = [period(0, 7, 'ada'), period(7, 30, 'ben')]
  const second = [period(30, 90, 'ben')]
  const account: Account = {
    lists: {
      '/v2/users': users,
      '/v2/teams': [{ id: 't1', name: 'Ops' }],
      '/v2/schedules': [schedule],
      '/v2/escalations': [escalation],
      '/v2/integrations': [{ id: 'i1', name: 'Scripts', type: 'API', enabled: true }],
      '/v2/maintenance': [{ id: 'm1', description: 'Deploy' }],
      '/v1/services': [{ id: 'sv1', name: 'Shop' }],
    },
    answers: {
      ...Object.fromEntries(detailed.map((user) => [`/v2/users/${user.id}`, user])),
      ...Object.fromEntries(users.map(({ id }) => [`/v2/users/${id}/notification-rules`, [rule]])),
      ...Object.fromEntries(users.map(({ id }) => [`/v2/users/${id}/notification-rules/n1/steps`, steps])),
      '/v2/teams/t1': team,
      '/v2/teams/t1/routing-rules': routing,
      '/v2/schedules/s1/overrides': [override],
      '/v2/integrations/i1': { name: 'Scripts', type: 'API', apiKey: KEY, ownerTeam: integration.ownerTeam },
      '/v2/maintenance/m1': maintenance,
      '/v2/heartbeats': heartbeats,
      '/v2/forwarding-rules': [{ id: 'f1', alias: 'Holiday' }],
      '/v2/policies/alert': [{ id: 'pol1', name: 'Quiet' }],
      '/v2/roles': [{ id: 'role1', name: 'Reader' }],
    },
  }
  const respond = opsgenieDouble(account)
  return {
    respond: (request) => {
      if (request.path !== '/v2/schedules/s1/timeline') return respond(request)
      const isFirst = request.query.get('date') === day(0).replace('.000Z', 'Z')
      return { body: { data: isFirst ? timelineOf(0, 30, first) : timelineOf(30, 90, second) } }
    },
    credentials: ['right'],
    files: {
      ...Object.fromEntries(
        detailed.map((user) => [`users/${user.id}.json`, { user, notificationRuleList: [{ ...rule, steps }] }]),
      ),
      'teams/Ops-t1.json': { team, teamRoutingRules: routing },
      'schedules/Shop/night-s1.json': { schedule, scheduleOverrideList: [override] },
      'schedules/s1/timeline.json': { data: timelineOf(0, 90, [...first, ...second]) },
      'escalations/Shop-e1.json': escalation,
      'integrations/i1.json': integration,
      'maintenance/m1.json': maintenance,
      'heartbeats.json': { data: heartbeats },
      'forwardings/f1.json': { id: 'f1', alias: 'Holiday' },
      'policiesV2/pol1.json': { id: 'pol1', name: 'Quiet' },
      'custom user roles/role1.json': { id: 'role1', name: 'Reader' },
    },
  }
}

function pagerduty(): SavedAccount {
  const users = Array.from({ length: 250 }, (_, index) => ({
    id: `U${index}`,
    name: `Person ${index}`,
    email: `${NAMES[index] ?? `person-${index}`}@example.com`,
    contact_methods: [{ id: 'C1', type: 'phone_contact_method', address: '5551234', country_code: 1 }],
    notification_rules: [{ id: 'N1' }],
  }))
  const layer = {
    id: 'L1',
    name: 'Weeks',
    start: day(-30),
    end: null,
    rotation_virtual_start: day(-30),
    rotation_turn_length_seconds: 604_800,
    users: users.slice(0, 2).map(({ id }) => ({ user: { id, type: 'user_reference' } })),
    restrictions: [],
  }
  const entries = [{ start: day(0), end: day(90), user: { id: 'U0' } }]
  const schedule = {
    id: 'P1',
    name: 'Night',
    time_zone: 'Europe/Berlin',
    schedule_layers: [layer],
    final_schedule: { rendered_schedule_entries: entries },
  }
  const overrides = [{ id: 'Q1', start: day(1), end: day(2), user: { id: 'U1' } }]
  const policies = [
    {
      id: 'E1',
      name: 'Shop',
      num_loops: 1,
      escalation_rules: [{ escalation_delay_in_minutes: 10, targets: [{ id: 'P1', type: 'schedule_reference' }] }],
    },
  ]
  const services = [
    { id: 'S1', name: 'Shop', escalation_policy: { id: 'E1' }, integrations: [{ id: 'I1', integration_key: KEY }] },
  ]
  const windows = [{ id: 'W1', description: 'Deploy', start_time: day(1), end_time: day(2), services: [{ id: 'S1' }] }]
  return {
    respond: pagerDutyDouble({
      lists: {
        '/users': users,
        '/schedules': [{ id: 'P1', name: 'Night' }],
        '/escalation_policies': policies,
        '/services': services,
        '/maintenance_windows': windows,
      },
      answers: { '/schedules/P1': { schedule }, '/schedules/P1/overrides': { overrides } },
    }),
    credentials: ['right'],
    files: {
      'users.json': { users },
      'schedules/P1.json': { schedule },
      'schedules/P1/overrides.json': { overrides },
      'escalation_policies.json': { escalation_policies: policies },
      'services.json': { services },
      'maintenance_windows.json': { maintenance_windows: windows },
    },
  }
}

function grafanaOnCall(): SavedAccount {
  const users = NAMES.map((name) => ({ id: `U${name}`, username: name, email: `${name}@example.com` }))
  const shift = {
    id: 'O1',
    name: 'Weeks',
    type: 'rolling_users',
    start: '2026-11-04T09:00:00',
    frequency: 'weekly',
    interval: 1,
    duration: 604_800,
    rolling_users: [['Uada'], ['Uben']],
  }
  const schedules = [
    { id: 'S1', name: 'Night', type: 'calendar', time_zone: 'Europe/Berlin', shifts: ['O1'] },
    { id: 'S2', name: 'Feed', type: 'ical', ical_url_primary: `https://calendar.example.com/private-${KEY}/basic.ics` },
  ]
  const results = [
    { user_pk: 'Uada', user_email: 'ada@example.com', shift_start: day(0), shift_end: day(5) },
    { user_pk: 'Uben', user_email: 'ben@example.com', shift_start: day(5), shift_end: day(90) },
  ]
  const lists = {
    users,
    on_call_shifts: [shift],
    escalation_chains: [{ id: 'F1', name: 'Shop' }],
    escalation_policies: [
      {
        id: 'E1',
        escalation_chain_id: 'F1',
        position: 0,
        type: 'notify_on_call_from_schedule',
        notify_on_call_from_schedule: 'S1',
      },
    ],
    integrations: [
      {
        id: 'C1',
        name: 'Alertmanager',
        type: 'alertmanager',
        link: `https://oncall.example.com/integrations/v1/alertmanager/${KEY}/`,
        default_route: { id: 'R1', escalation_chain_id: 'F1' },
      },
    ],
    routes: [{ id: 'R1', integration_id: 'C1' }],
    personal_notification_rules: NAMES.map((name) => ({ id: `N${name}`, user_id: `U${name}`, type: 'notify_by_sms' })),
    webhooks: [{ id: 'WH1', name: 'Chat', url: 'https://chat.example.com/x', authorization_header: `Bearer ${KEY}` }],
    schedules,
  }
  const empty = { count: 0, next: null, results: [] }
  return {
    respond: grafanaDouble({
      lists: Object.fromEntries(Object.entries(lists).map(([name, list]) => [`/api/v1/${name}`, list])),
      answers: {
        '/api/v1/schedules/S1/final_shifts': { count: 2, next: null, results },
        '/api/v1/schedules/S2/final_shifts': empty,
      },
    }),
    credentials: ['right'],
    files: {
      ...Object.fromEntries(Object.entries(lists).map(([name, list]) => [`${name}.json`, { results: list }])),
      'schedules/S1/final_shifts.json': { results },
      'schedules/S2/final_shifts.json': { results: [] },
    },
  }
}

function splunkOnCall(): SavedAccount {
  const users = NAMES.map((username) => ({ username, email: `${username}@example.com` }))
  const methods = { phones: { contactMethods: [{ value: '+1 5551234' }] } }
  const shift = {
    label: 'Shift',
    timezone: 'Europe/Berlin',
    start: '2026-11-02T08:00:00Z',
    duration: 7,
    shifttype: 'std',
    shiftMembers: [{ username: 'ada' }, { username: 'ben' }],
  }
  const rotations = { rotationGroups: [{ label: 'Weeks', shifts: [shift] }] }
  const roll = (from: number, to: number, username: string) => ({ start: day(from), end: day(to), onCallUser: { username } })
  const overrides = [
    {
      origOnCallUser: { username: 'ben' },
      overrideOnCallUser: { username: 'cem' },
      start: day(10),
      end: day(11),
      policy: { slug: 'shop' },
    },
  ]
  const schedule = {
    onCallUser: { username: 'ada' },
    onCallType: 'rotation_group',
    rotationName: 'Weeks',
    shiftName: 'Shift',
    shiftRoll: day(7),
    rolls: [roll(7, 14, 'ben'), roll(14, 90, 'ada')],
  }
  const onCall = { team: { slug: 'ops' }, schedules: [{ policy: { slug: 'shop' }, schedule: [schedule], overrides }] }
  const policy = {
    name: 'Shop',
    slug: 'shop',
    steps: [{ timeout: 0, entries: [{ executionType: 'rotation_group', rotationGroup: { label: 'Weeks' } }] }],
  }
  return {
    respond: splunkDouble({
      lists: {},
      answers: {
        '/api-public/v1/user': { users: [users] },
        ...Object.fromEntries(NAMES.map((name) => [`/api-public/v1/user/${name}/contact-methods`, methods])),
        '/api-public/v1/team': [{ name: 'Ops', slug: 'ops' }],
        '/api-public/v1/team/ops/rotations': rotations,
        '/api-public/v2/team/ops/oncall/schedule': onCall,
        '/api-public/v1/policies': { policies: [{ policy: { name: 'Shop', slug: 'shop' }, team: { slug: 'ops' } }] },
        '/api-public/v1/policies/shop': policy,
      },
    }),
    credentials: ['id', 'right'],
    files: {
      'user.json': { users: [users] },
      ...Object.fromEntries(NAMES.map((name) => [`user/${name}/contact-methods.json`, methods])),
      'team/ops/rotations.json': rotations,
      'team/ops/oncall/schedule.json': onCall,
      'policies/shop.json': policy,
    },
  }
}

export const ACCOUNTS: Readonly<Record<string, () => SavedAccount>> = {
  opsgenie,
  pagerduty,
  'grafana-oncall': grafanaOnCall,
  'splunk-oncall': splunkOnCall,
}
