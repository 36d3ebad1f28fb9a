import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DAY_MS } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { runCommand } from '../run.ts'

// Dates follow the clock of the machine, which is that of the command.
const NOW = Date.now()
const iso = (days: number) => new Date(Math.floor(NOW / DAY_MS) * DAY_MS + days * DAY_MS).toISOString()

let backend: TestBackend
let folder: string
let environment: NodeJS.ProcessEnv
let owner: Awaited<ReturnType<TestBackend['member']>>
beforeAll(async () => {
  backend = await startTestBackend({ throughProxy: false, startMs: NOW })
  const organization = await backend.organization()
  owner = await backend.member(organization, 'owner')
  for (const name of ['ada', 'ben']) {
    const { userId } = await backend.member(organization, 'member')
    await backend.pool.db
      .updateTable('app_user')
      .set({ email: `${name}@example.com` })
      .where('id', '=', userId)
      .execute()
  }
  folder = mkdtempSync(join(tmpdir(), 'vedette-moving-'))
  const key = await backend.apiKey(organization, 'read', 'write', 'admin')
  writeFileSync(join(folder, 'key'), `${key['x-api-key']}\n`)
  const url = `http://127.0.0.1:${await backend.listen()}`
  environment = { VEDETTE_URL: url, VEDETTE_API_KEY_FILE: join(folder, 'key') }
})
afterAll(async () => {
  await backend.close()
  rmSync(folder, { recursive: true })
})

async function vedette(...args: string[]) {
  const [said, complained]: [string[], string[]] = [[], []]
  const terminal = {
    environment,
    readInput: async () => '',
    say: async (line: string) => void said.push(line),
    complain: (line: string) => void complained.push(line),
    show: undefined,
  }
  const code = await runCommand(args, terminal, () => Promise.reject(new Error('no service')))
  return { code, said: said.join('\n'), complained: complained.join('\n') }
}

function write(tool: string, files: Readonly<Record<string, unknown>>): string {
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, tool, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  }
  return join(folder, tool)
}

const ROTATION = {
  id: 'r1',
  name: 'Weeks',
  type: 'weekly',
  length: 1,
  startDate: iso(-30),
  participants: [
    { type: 'user', username: 'ada@example.com' },
    { type: 'user', username: 'Ben@example.com' },
  ],
}
const OPSGENIE = {
  'users/ada-u1.json': { user: { id: 'u1', username: 'ada@example.com' } },
  'users/cem-u3.json': { user: { id: 'u3', username: 'cem@example.com' } },
  'users/dee-u4.json': { user: { id: 'u4', username: 'dee@example.com', blocked: true } },
  'schedules/shop-s1.json': {
    schedule: {
      id: 's1',
      name: 'Shop',
      timezone: 'Europe/Berlin',
      rotations: [ROTATION, { ...ROTATION, id: 'r2', name: 'Second', type: 'hourly', length: 12 }],
    },
  },
  'escalations/shop-e1.json': {
    id: 'e1',
    name: 'Shop',
    rules: [
      {
        condition: 'if-not-acked',
        notifyType: 'default',
        delay: { timeAmount: 0, timeUnit: 'minutes' },
        recipient: { type: 'schedule', id: 's1' },
      },
      {
        condition: 'if-not-acked',
        notifyType: 'default',
        delay: { timeAmount: 1, timeUnit: 'hours' },
        recipient: { type: 'user', id: 'u1' },
      },
    ],
  },
  'maintenance/m1.json': {
    id: 'm1',
    description: 'Deploy',
    time: { startDate: iso(3), endDate: iso(4) },
    rules: [{ entity: { id: 'i1' } }],
  },
  'heartbeats.json': [{ name: 'Backup', interval: 1, intervalUnit: 'days' }],
}

describe('vedette migrate-from opsgenie', () => {
  it('plans, is applied from the plan, and has nothing to do afterwards', async () => {
    const from = write('opsgenie', OPSGENIE)
    const out = join(folder, 'plan.json')
    const planned = await vedette('migrate-from', 'opsgenie', from, '--plan', '--json', '--out', out)
    expect([planned.code, planned.complained]).toEqual([2, ''])
    const { change_set_id: id, report, ...rest } = JSON.parse(planned.said)
    expect([id, rest]).toEqual([expect.stringMatching(/^chg_/), {}])
    expect(report.map(({ source, fidelity }: { source: { kind: string }; fidelity: string }) => [source.kind, fidelity])).toEqual(
      [
        ['user', 'exact'],
        ['user', 'refused'],
        ['user', 'refused'],
        ['schedule', 'exact'],
        ['escalation', 'exact'],
        ['maintenance', 'changed'],
        ['heartbeat', 'changed'],
        ['account', 'refused'],
      ],
    )
    expect(JSON.parse(readFileSync(out, 'utf8')).summary).toMatchObject({ create: 5, refused: 0 })
    expect(await vedette('apply', out, '--yes')).toMatchObject({ code: 0 })
    const again = await vedette('migrate-from', 'opsgenie', from)
    expect([again.code, again.said]).toEqual([0, expect.stringContaining('unchanged 5, refused 0')])
    expect(again.said).toContain('! user cem@example.com: refused — nobody here has the e-mail cem@example.com')
  })

  it('writes the old and the new address of each sender, once the plan is applied', async () => {
    const key = '0123456789abcdef0123456789abcdef'
    const from = write('senders', {
      'integrations/i9.json': { id: 'i9', name: 'Scripts', type: 'API', apiKey: key },
      'heartbeats.json': [{ name: 'Nightly', interval: 1, intervalUnit: 'days' }],
    })
    const [table, out] = [join(folder, 'addresses.tsv'), join(folder, 'senders.json')]
    const options = ['--owner', 'import:senders', '--addresses', table, '--out', out]
    const plan = (...more: string[]) => vedette('migrate-from', 'opsgenie', from, ...options, ...more)
    const lines = () => readFileSync(table, 'utf8').trimEnd().split('\n')
    await plan()
    expect(
      lines()
        .slice(1)
        .map((line) => line.split('\t')[2]),
    ).toEqual(Array(2).fill('is not here: apply the plan first'))
    expect(statSync(table).mode & 0o077).toBe(0)
    expect(await vedette('apply', out, '--yes')).toMatchObject({ code: 0 })
    await plan('--plan')
    expect(lines()[1]).toContain('run again with --issue-tokens')
    const { code, said } = await plan('--issue-tokens')
    expect(code).toBe(0)
    const issued = lines()
    for (const again of [[], ['--plan'], ['--issue-tokens']]) {
      await plan(...again)
      expect(lines()).toEqual(issued)
    }
    const [[, oldAddress, address = ''], [, , ping = '']] = lines()
      .slice(1)
      .map((line) => line.split('\t')) as [string[], string[]]
    expect(oldAddress).toBe('https://api.opsgenie.com/v2/alerts with GenieKey …cdef')
    expect(said).not.toContain('vdt_in_')
    const post = (to: string) => backend.call('POST', new URL(to).pathname, { body: { message: 'disk full' } })
    expect((await post(`${address}/v2/alerts`)).status).toBe(202)
    expect((await post(ping)).status).toBe(200)
    backend.clock.advance(60_000)
    await plan()
    expect(lines()).toEqual(issued)
    rmSync(table)
    await plan('--issue-tokens')
    expect(lines()[1]).toContain('receives alerts already: rotate its token to see it')
    expect((await post(`${address}/v2/alerts`)).status).toBe(202)
  })

  it('adds the alerts that are over once, after the plan was applied, and notifies nobody', async () => {
    const alert = (id: string, own: object = {}) => ({
      id,
      alias: id,
      message: `Disk ${id}`,
      status: 'closed',
      priority: 'P1',
      createdAt: iso(-10),
      integration: { id: 'i7', name: 'Disks' },
      report: { ackTime: 1_000, closeTime: 60_000, acknowledgedBy: 'ben@example.com', closedBy: 'zoe@example.com' },
      ...own,
    })
    const from = write('alerts', {
      'integrations/i7.json': { id: 'i7', name: 'Disks', type: 'API' },
      'alerts.json': [...Array.from({ length: 501 }, (_, index) => alert(`a${index}`)), alert('b', { status: 'open' })],
    })
    const out = join(folder, 'alerts-plan.json')
    const run = async (...more: string[]) => {
      const { said } = await vedette('migrate-from', 'opsgenie', from, '--owner', 'import:alerts', '--json', '--history', ...more)
      const { report } = JSON.parse(said) as {
        report: { source: { kind: string; id: string }; changes: string[]; reason: string }[]
      }
      expect(report.at(-1)?.source.kind).toBe('account')
      return report
        .filter(({ source }) => ['history', 'alert'].includes(source.kind))
        .map(({ source, changes, reason }) => `${source.id}: ${reason ?? changes.join()}`)
    }
    const open = 'b: it is open at the source: close it there, or it comes with the next export once it is over'
    const ref = 'alert_source:opsgenie/integrations/i7'
    expect(await run('--out', out)).toEqual([
      `${ref}: 501 alerts: its alert source is not here: apply the plan, and run this again`,
      open,
    ])
    expect(await vedette('apply', out, '--yes')).toMatchObject({ code: 0 })
    expect(await run('--plan')).toEqual([`${ref}: 501 alerts would come`, open])
    const incidents = async () => (await backend.call('GET', '/v1/incidents?q=Disk%20a&limit=1', { as: owner })).body
    expect((await incidents()).total).toBe(0)
    const listOpen = () => backend.pool.db.selectFrom('open_incident').select('incident_id').execute()
    const before = await listOpen()
    expect(await run()).toEqual([`${ref}: 501 alerts are resolved incidents now, 0 were there`, open])
    expect(await run()).toEqual([`${ref}: 0 alerts are resolved incidents now, 501 were there`, open])
    expect(await incidents()).toMatchObject({
      total: 501,
      incidents: [
        { status: 'resolved', severity: 'critical', opened_at: iso(-10), acknowledged_by: expect.stringMatching(/^usr_/) },
      ],
    })
    expect(await listOpen()).toEqual(before)
    const splunk = write('splunk-alerts', { 'user.json': { users: [] } })
    expect(await vedette('migrate-from', 'splunk-oncall', splunk, '--history')).toMatchObject({
      complained: expect.stringContaining('--history knows no alerts of Splunk On-Call'),
    })
  })

  it('steps that name a person notify the channel of Twilio to their telephone', async () => {
    const config = { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'x', sender: '+4915100000000', recipient: '+4915112345678' }
    const { body } = await backend.call('POST', '/v1/channels', {
      as: owner,
      body: { name: 'Call Ada', type: 'twilio_voice', config },
    })
    const from = write('phones', {
      'users/ada-u1.json': {
        user: { id: 'u1', username: 'ada@example.com' },
        contactList: [{ method: 'voice', to: '49-15112345678' }],
      },
      'escalations/e1.json': {
        id: 'e1',
        name: 'Shop',
        rules: [
          { condition: 'if-not-acked', notifyType: 'default', delay: { timeAmount: 0 }, recipient: { type: 'user', id: 'u1' } },
        ],
      },
    })
    const out = join(folder, 'phones.json')
    expect(await vedette('migrate-from', 'opsgenie', from, '--owner', 'import:phones', '--out', out)).toMatchObject({ code: 2 })
    expect(await vedette('apply', out, '--yes')).toMatchObject({ code: 0 })
    const { escalation_policies: policies } = (await backend.call('GET', '/v1/escalation-policies', { as: owner })).body
    const policy = policies.find(({ managed }: { managed?: { owner: string } }) => managed?.owner === 'import:phones')
    expect(policy.steps).toMatchObject([{ channel_ids: [body.id], user_ids: [expect.stringMatching(/^usr_/)] }])
  })

  it('invites who is missing only with --invite', async () => {
    const from = write('opsgenie', OPSGENIE)
    const invitations = async () => {
      const { body } = await backend.call('GET', '/v1/organizations', { as: owner })
      const list = await backend.call('GET', `/v1/organizations/${body.organizations[0].id}/invitations`, { as: owner })
      return list.body.invitations.map(({ email }: { email: string }) => email)
    }
    await vedette('migrate-from', 'opsgenie', from)
    expect(await invitations()).toEqual([])
    await vedette('migrate-from', 'opsgenie', from, '--invite')
    expect(await invitations()).toEqual(['cem@example.com'])
  })

  it.each([
    ['a folder that is not there', ['opsgenie', '/nowhere/at/all'], 1, 'is no folder'],
    ['an unknown tool', ['pager', '.'], 2, 'source must be one of opsgenie, pagerduty'],
  ])('refuses %s', async (_name, args, code, message) => {
    const refused = await vedette('migrate-from', ...args)
    expect([refused.code, refused.complained]).toEqual([code, expect.stringContaining(message)])
  })

  it('names a file that is no JSON', async () => {
    const from = write('broken', { 'users/a.json': '{' })
    expect((await vedette('migrate-from', 'opsgenie', from)).complained).toContain('users/a.json: is no JSON')
  })
})

describe('vedette oncall-diff', () => {
  const periodsOf = (shifts: { from: string; to: string; email: string }[]) =>
    shifts.map(({ from, to, email }) => ({ startDate: from, endDate: to, recipient: { type: 'user', name: email } }))

  it('has exit code 0 without a difference, and names each that there is', async () => {
    const { body } = await backend.call('GET', '/v1/schedules', { as: owner })
    const shifts = []
    for (const { id } of body.schedules)
      shifts.push(
        ...(await backend.call('GET', `/v1/schedules/${id}/shifts?from=${iso(0)}&to=${iso(60)}`, { as: owner })).body.shifts,
      )
    const timeline = (periods: object[]) => ({ data: { finalTimeline: { rotations: [{ periods }] } } })
    const from = write('opsgenie', { ...OPSGENIE, 'schedules/s1/timeline.json': timeline(periodsOf(shifts)) })
    const same = await vedette('oncall-diff', 'opsgenie', from, '--from', 'today', '--days', '60')
    expect([same.code, same.said]).toEqual([0, '1 schedules compared, 0 differences, 0 missing'])
    const swapped = shifts.map((one, index) => (index === 0 ? { ...one, email: 'dee@example.com' } : one))
    write('opsgenie', { 'schedules/s1/timeline.json': timeline(periodsOf(swapped)) })
    const other = await vedette('oncall-diff', 'opsgenie', from, '--days', '60', '--json')
    expect(other.code).toBe(1)
    const { differences } = JSON.parse(other.said)
    expect(differences.length).toBeGreaterThan(0)
    expect(differences[0]).toMatchObject({ schedule: 'Shop', theirs: expect.arrayContaining(['dee@example.com']) })
    for (const days of ['0', '93', 'x']) expect((await vedette('oncall-diff', 'opsgenie', from, '--days', days)).code).toBe(2)
  })

  it('fails where nothing is saved, and where the plan was not applied', async () => {
    const files = {
      'users.json': { users: [] },
      'schedules/P1.json': { schedule: { id: 'P1', name: 'Night', schedule_layers: [] } },
    }
    const from = write('pagerduty', files)
    expect(await vedette('oncall-diff', 'pagerduty', from)).toMatchObject({
      code: 1,
      complained: expect.stringContaining('has no rendered entries'),
    })
    const final = { rendered_schedule_entries: [{ start: iso(0), end: iso(9), user: { summary: 'ada@example.com' } }] }
    write('pagerduty', { 'schedules/P1.json': { schedule: { ...files['schedules/P1.json'].schedule, final_schedule: final } } })
    expect(await vedette('oncall-diff', 'pagerduty', from)).toMatchObject({
      code: 1,
      said: expect.stringContaining('Night: is not here'),
    })
  })

  const of = (names: readonly string[]) => names.map((name) => `${name}@example.com`)
  type Shift = { from: string; to: string; email: string }
  const nameOf = (email: string) => email.replace('@example.com', '')
  const SOURCES: [string, Record<string, unknown>, (shifts: Shift[]) => Record<string, unknown>][] = [
    [
      'grafana-oncall',
      {
        'users.json': { results: ['ada', 'ben'].map((name) => ({ id: name, username: name, email: `${name}@example.com` })) },
        'schedules.json': { results: [{ id: 'S1', name: 'Weeks', type: 'web', time_zone: 'Europe/Berlin', shifts: ['O1'] }] },
        'on_call_shifts.json': {
          results: [
            {
              id: 'O1',
              name: 'Weeks',
              type: 'rolling_users',
              start: iso(-20).slice(0, 19),
              frequency: 'weekly',
              interval: 1,
              duration: 604_800,
              rolling_users: [['ada'], ['ben']],
            },
          ],
        },
      },
      (shifts) => ({
        'schedules/S1/final_shifts.json': {
          results: shifts.map(({ from, to, email }) => ({
            user_pk: nameOf(email),
            user_email: email,
            shift_start: from,
            shift_end: to,
          })),
        },
      }),
    ],
    [
      'splunk-oncall',
      {
        'user.json': { users: [['ada', 'ben'].map((username) => ({ username, email: `${username}@example.com` }))] },
        'team/ops/rotations.json': {
          rotations: [
            {
              label: 'Weeks',
              shifts: [
                {
                  label: 'All',
                  timezone: 'Europe/Berlin',
                  start: iso(-20),
                  duration: 7,
                  shifttype: 'std',
                  shiftMembers: [{ username: 'ada' }, { username: 'ben' }],
                },
              ],
            },
          ],
        },
      },
      (shifts) => ({
        'team/ops/oncall/schedule.json': {
          schedules: [
            {
              policy: { slug: 'shop' },
              schedule: [
                {
                  rotationName: 'Weeks',
                  rolls: shifts.map(({ from, to, email }) => ({ start: from, end: to, onCallUser: { username: nameOf(email) } })),
                },
              ],
            },
          ],
        },
      }),
    ],
  ]

  it.each(SOURCES)(
    '%s: compares every instant of what was fetched, and names those that differ',
    async (tool, files, entriesOf) => {
      const name = `${tool}-diff`
      const from = write(name, files)
      const out = join(folder, `${name}.plan.json`)
      expect(await vedette('migrate-from', tool, from, '--out', out)).toMatchObject({ code: 2 })
      expect(await vedette('apply', out, '--yes')).toMatchObject({ code: 0 })
      const { body } = await backend.call('GET', '/v1/schedules', { as: owner })
      const { id } = body.schedules.find(({ managed }: { managed?: { owner: string } }) => managed?.owner === `import:${tool}`)
      const path = `/v1/schedules/${id}/shifts?from=${iso(0)}&to=${iso(90)}`
      const { shifts }: { shifts: Shift[] } = (await backend.call('GET', path, { as: owner })).body
      const compare = async (theirs: Shift[]) => {
        write(name, { ...entriesOf(theirs), 'fetched.json': { from: iso(0), to: iso(90) } })
        return vedette('oncall-diff', tool, from, '--days', '90', '--json')
      }
      expect(shifts.length).toBeGreaterThan(10)
      expect(await compare(shifts)).toMatchObject({
        code: 0,
        said: expect.stringContaining('"compared":1,"missing":[],"unsaved":[],"differences":[]'),
      })
      // Nobody is on duty there in the last shift, and for an hour somebody else.
      const last = shifts.at(-1) as Shift
      const second = shifts[1] as Shift
      const hour = { from: second.from, to: new Date(Date.parse(second.from) + 3_600_000).toISOString() }
      const other = second.email === 'ada@example.com' ? 'ben@example.com' : 'ada@example.com'
      const theirs = [...shifts.slice(0, -1), { ...hour, email: other }]
      const { code, said } = await compare(theirs)
      expect(code).toBe(1)
      expect(JSON.parse(said).differences).toEqual([
        { schedule: 'Weeks', ...hour, theirs: of(['ada', 'ben']), ours: [second.email] },
        { schedule: 'Weeks', from: last.from, to: iso(90), theirs: [], ours: [last.email] },
      ])
    },
  )

  it('names schedules that it cannot compare, and until when it compared', async () => {
    const [tool, files, entriesOf] = SOURCES[0] as (typeof SOURCES)[number]
    const schedules = ['S1', 'S2'].map((id) => ({ id, name: id, type: 'web', time_zone: 'Europe/Berlin', shifts: ['O1'] }))
    const from = write('partly', { ...files, 'schedules.json': { results: schedules }, ...entriesOf([]) })
    write('partly', { 'fetched.json': { from: iso(0), to: iso(30) } })
    const { said } = await vedette('oncall-diff', tool, from, '--days', '90')
    expect(said).toContain('? S2: is not compared: the folder does not have who is on duty there')
    expect(said).toContain(`Compared until ${iso(30)}: no more was saved`)
    expect(said).toMatch(/~ S1: .*: there nobody, here (ada|ben)@example.com/)
  })
})
