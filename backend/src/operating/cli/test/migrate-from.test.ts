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
})
