import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { TABLES } from '../grafana-oncall/dump/tables.ts'
import { addressesOfGrafana } from '../grafana-oncall/addresses.ts'
import { readGrafanaOnCall } from '../grafana-oncall/read.ts'
import { readSource, SourceFault, type Tool, TOOLS } from '../index.ts'
import { peopleOf } from '../model.ts'

const toolOf = (name: string): Tool => TOOLS[name] as Tool

const NOW = Date.parse('2026-11-30T12:00:00Z')
const folder = mkdtempSync(join(tmpdir(), 'grafana-dump-'))
afterAll(() => rmSync(folder, { recursive: true }))
const people = peopleOf(
  ['ada', 'ben'].map((name) => ({ id: `usr_${name}`, email: `${name}@example.com` })),
  [{ id: 'chn_1', name: 'Ada’s phone', type: 'twilio_sms', recipient: '+49 151 1234567' }],
)

type Row = Record<string, string | number | null>
/** An account as its database has it; `duration` and `wait_delay` are seconds, dates are in UTC. */
const ACCOUNT: Readonly<Record<string, Row[]>> = {
  user_management_organization: [
    { id: 1, deleted_at: null },
    { id: 2, deleted_at: '2026-01-01 00:00:00' },
  ],
  user_management_user: [
    {
      id: 7,
      public_primary_key: 'UADA',
      organization_id: 1,
      username: 'ada',
      email: 'ada@example.com',
      is_active: 1,
      _verified_phone_number: '+491511234567',
    },
    { id: 8, public_primary_key: 'UBEN', organization_id: 1, username: 'ben\ttab', email: 'ben@example.com', is_active: 1 },
    { id: 9, public_primary_key: 'UOLD', organization_id: 1, username: 'old', email: 'old@example.com', is_active: null },
    { id: 10, public_primary_key: 'UOTHER', organization_id: 2, username: 'other', email: 'other@example.com', is_active: 1 },
  ],
  base_usernotificationpolicy: [
    { public_primary_key: 'N1', user_id: 7, step: 1, notify_by: 1 },
    { public_primary_key: 'N2', user_id: 7, step: 0, notify_by: 0 },
  ],
  schedules_oncallschedule: [
    { id: 1, public_primary_key: 'SWEB', organization_id: 1, name: 'Web' },
    { id: 2, public_primary_key: 'SCAL', organization_id: 1, name: 'Calendar' },
    {
      id: 3,
      public_primary_key: 'SFEED',
      organization_id: 1,
      name: 'Feed',
      cached_ical_file_primary:
        'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:20261201T080000Z\r\nDTEND:20261201T200000Z\r\nSUMMARY:ben@example.com\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
    },
    { id: 4, public_primary_key: 'SGONE', organization_id: 2, name: 'Gone' },
  ],
  schedules_oncallscheduleweb: [{ oncallschedule_ptr_id: 1, time_zone: 'UTC' }],
  schedules_oncallschedulecalendar: [{ oncallschedule_ptr_id: 2, time_zone: 'Europe/Berlin' }],
  schedules_oncallscheduleical: [{ oncallschedule_ptr_id: 3, ical_url_primary: 'https://calendar.example.com/x' }],
  schedules_oncallschedulecalendar_custom_on_call_shifts: [{ oncallschedulecalendar_id: 2, customoncallshift_id: 2 }],
  schedules_customoncallshift: [
    {
      id: 1,
      public_primary_key: 'O1',
      schedule_id: 1,
      name: 'Weeks',
      time_zone: 'UTC',
      type: 2,
      start: '2026-11-02 08:00:00',
      rotation_start: '2026-11-02 08:00:00',
      duration: 604_800,
      frequency: 1,
      interval: 1,
      week_start: 0,
      by_month: '[]',
      rolling_users: '[{"7": "UADA"}, {"8": "UBEN"}]',
      start_rotation_from_user_index: 0,
    },
    {
      id: 2,
      public_primary_key: 'O2',
      name: 'Days',
      type: 1,
      start: '2026-11-02 09:00:00',
      rotation_start: '2026-11-02 09:00:00',
      duration: 28_800,
      frequency: 0,
      interval: 1,
      week_start: 0,
    },
  ],
  schedules_customoncallshift_users: [{ customoncallshift_id: 2, user_id: 8 }],
  alerts_escalationchain: [{ id: 1, public_primary_key: 'F1', organization_id: 1, name: 'Shop' }],
  alerts_escalationpolicy: [
    { id: 1, public_primary_key: 'E1', escalation_chain_id: 1, order: 0, step: 6, notify_schedule_id: 1 },
    { id: 2, public_primary_key: 'E2', escalation_chain_id: 1, order: 1, step: 0, wait_delay: 900 },
    { id: 3, public_primary_key: 'E3', escalation_chain_id: 1, order: 2, step: 13 },
  ],
  alerts_escalationpolicy_notify_to_users_queue: [{ escalationpolicy_id: 3, user_id: 7 }],
  alerts_alertreceivechannel: [
    {
      id: 1,
      public_primary_key: 'C1',
      organization_id: 1,
      integration: 'legacy_alertmanager',
      verbal_name: 'Prometheus',
      token: 'abcdefghijklmnopqrst',
    },
    {
      id: 2,
      public_primary_key: 'C2',
      organization_id: 1,
      integration: 'webhook',
      verbal_name: 'Old',
      token: 'x',
      deleted_at: '2026-01-01 00:00:00',
    },
  ],
  alerts_channelfilter: [
    {
      public_primary_key: 'R1',
      alert_receive_channel_id: 1,
      escalation_chain_id: 1,
      filtering_term_type: 0,
      is_default: 1,
      order: 0,
    },
  ],
}
const DURATIONS = new Set(['duration', 'wait_delay'])
const BOOLEANS = new Set(['is_active', 'is_default'])

function sqlite(name: string, account: typeof ACCOUNT = ACCOUNT): string {
  const path = join(folder, name)
  const database = new DatabaseSync(path)
  for (const [table, columns] of Object.entries(TABLES)) {
    const all = [...columns, 'unread']
    if (account[table]) database.exec(`create table "${table}" (${all.map((column) => `"${column}"`).join(', ')})`)
    for (const row of account[table] ?? []) {
      const statement = database.prepare(`insert into "${table}" values (${all.map(() => '?').join(', ')})`)
      statement.run(
        ...all.map((column) => (DURATIONS.has(column) && row[column] ? Number(row[column]) * 1e6 : (row[column] ?? null))),
      )
    }
  }
  database.close()
  return path
}

const interval = (seconds: number) =>
  seconds % 86_400 === 0
    ? `${seconds / 86_400} days`
    : `${String(Math.floor(seconds / 3_600)).padStart(2, '0')}:${String((seconds % 3_600) / 60).padStart(2, '0')}:00`
const cellOf = (column: string, value: string | number | null | undefined): string => {
  if (value === null || value === undefined) return '\\N'
  if (DURATIONS.has(column)) return interval(Number(value))
  if (BOOLEANS.has(column)) return value === 1 ? 't' : 'f'
  // As a session in Berlin writes them, in winter.
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\d \d\d:/.test(value))
    return `${new Date(Date.parse(`${value.replace(' ', 'T')}Z`) + 3_600_000).toISOString().slice(0, 19).replace('T', ' ')}+01`
  return String(value).replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\r', '\\r').replaceAll('\n', '\\n')
}

function postgres(name: string, account: typeof ACCOUNT = ACCOUNT): string {
  const path = join(folder, name)
  const tables = Object.entries(TABLES).flatMap(([table, columns]) => {
    const all = [...columns, 'unread']
    const rows = (account[table] ?? []).map((row) => all.map((column) => cellOf(column, row[column])).join('\t'))
    const list = all.map((column) => (['order', 'interval'].includes(column) ? `"${column}"` : column)).join(', ')
    return [`COPY public.${table} (${list}) FROM stdin;`, ...rows, '\\.', '', '']
  })
  writeFileSync(
    path,
    ['--', '-- PostgreSQL database dump', 'COPY public.alerts_alert (id, raw) FROM stdin;', '1\tx', '\\.', ...tables].join('\n'),
  )
  return path
}

describe.each([
  ['SQLite', sqlite],
  ['PostgreSQL', postgres],
] as const)('the database of Grafana OnCall in %s', (kind, write) => {
  const path = write(`account-${kind}`)
  const files = readSource(toolOf('grafana-oncall'), path)
  const { resources, report } = readGrafanaOnCall(files, people, NOW)
  const specOf = (ref: string) => resources.find((one) => one.ref === `grafana-oncall/${ref}`)?.spec
  const rowOf = (id: string) => report.find(({ source }) => source.id === id)

  it('becomes what the files of its API become: schedules, chains, integrations, people', () => {
    expect(specOf('schedules/SWEB')).toEqual({
      name: 'Web',
      time_zone: 'UTC',
      layers: [
        {
          user_ids: ['usr_ada', 'usr_ben'],
          starts_at: '2026-11-02T08:00:00.000Z',
          ends_at: null,
          repeat: 'FREQ=WEEKLY',
          restrictions: [],
        },
      ],
    })
    expect(specOf('schedules/SCAL')).toMatchObject({
      time_zone: 'Europe/Berlin',
      layers: [{ user_ids: ['usr_ben'], starts_at: '2026-11-02T08:00:00.000Z', restrictions: [{ from: '09:00', to: '17:00' }] }],
    })
    expect(specOf('schedules/SFEED')).toMatchObject({ layers: [], ical_url: 'https://calendar.example.com/x' })
    expect(specOf('escalation_chains/F1')).toMatchObject({ steps: [{ wait_seconds: 900 }, { user_ids: ['usr_ada'] }] })
    expect(specOf('integrations/C1')).toMatchObject({ name: 'Prometheus', type: 'alertmanager', escalation_policy_id: {} })
    expect(resources).toHaveLength(5)
    expect([rowOf('SWEB')?.fidelity, rowOf('SCAL')?.fidelity]).toEqual(['exact', 'exact'])
  })

  it('has the telephones that the API does not say, and neither who is gone nor tokens', () => {
    expect(rowOf('UADA')?.becomes).toEqual(['usr_ada', 'channel:chn_1'])
    expect([rowOf('UOLD'), rowOf('UOTHER'), rowOf('SGONE'), rowOf('C2')]).toEqual([undefined, undefined, undefined, undefined])
    expect(addressesOfGrafana(files)).toMatchObject([{ old: ['/integrations/v1/alertmanager/…qrst/'] }])
    expect(JSON.stringify([...files])).not.toContain('abcdefghijklmnopqrst')
  })

  it('says which columns are not read', () => {
    expect(rowOf('grafana-oncall')).toMatchObject({
      changes: [expect.stringMatching(/^15 columns of its tables are not read: .+\.unread, …$/)],
    })
  })
})

it('a database without one of its tables is refused by name', () => {
  const { alerts_escalationchain: _gone, ...rest } = ACCOUNT
  expect(() => readSource(toolOf('grafana-oncall'), sqlite('less.db', rest))).toThrow(/it has no alerts_escalationchain$/)
  const less = join(folder, 'less.sql')
  writeFileSync(less, 'COPY public.user_management_user (id) FROM stdin;\n1\n\\.\n')
  expect(() => readSource(toolOf('grafana-oncall'), less)).toThrow(
    /it has no user_management_organization, user_management_user\.public_primary_key/,
  )
})

describe('a file that is no such database', () => {
  it.each([
    ['PGDMP\u0001', /is a dump of another format/],
    ['\u001f\u008b\b', /is compressed/],
    ['SQLite format 3\0 and nothing', /cannot be read as a SQLite database/],
    ['INSERT INTO public.user_management_user VALUES (1);', /make the dump without --inserts/],
    ['COPY public.user_management_user (id) FROM stdin;\n1\t2\n\\.\n', /a row of user_management_user has 2 columns, not 1/],
    ['COPY public.user_management_user (id) FROM stdin;\n1\n', /ends within user_management_user/],
    ['', /it has no user_management_organization/],
  ])('is refused: %j', (text, message) => {
    const path = join(folder, 'other')
    writeFileSync(path, text, 'latin1')
    expect(() => readSource(toolOf('grafana-oncall'), path)).toThrow(message)
    expect(() => readSource(toolOf('grafana-oncall'), path)).toThrow(SourceFault)
  })

  it('is only of Grafana OnCall', () => {
    expect(() => readSource(toolOf('opsgenie'), join(folder, 'other'))).toThrow(/is no folder/)
  })
})
