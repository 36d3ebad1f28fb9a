import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from 'otplib/functional'
import { PLANS } from '@vedette/shared'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dropWithConnections, registration, startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { startIdentityProvider } from '../../../../test/identity-provider.ts'
import { addProvider } from '../../../../test/provider-sign-in.ts'
import { arePrivateTargetsAllowed } from '../../../monitoring/checks/index.ts'
import { decodeId, encodeId, parseId } from '../../../platform/ids.ts'
import { recordSecurityEvent } from '../../../access/security-log/index.ts'
import { callVedette, runVedette } from './run-vedette.ts'

const PASSWORD = 'a long and rare passphrase'
const UNKNOWN = 'org_01h455vb4pex5vsknk084sn02q'

describe('vedette', () => {
  let backend: TestBackend
  let owner: { authorization: string }
  let organizationId: string
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'vdt-cli-'))
    // On the real clock of the program: sessions that it ends must have begun.
    backend = await startTestBackend({ startMs: Date.now() })
    const organization = await backend.organization('Acme')
    owner = await backend.member(organization, 'owner')
    const row = await backend.pool.db.selectFrom('organization').select('id').executeTakeFirstOrThrow()
    organizationId = encodeId('organization', row.id)
  })
  afterAll(async () => {
    await backend.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const settings = () => ({ DATABASE_URL: backend.databaseUrl, VEDETTE_DATA_DIR: join(folder, 'data') })
  const run = (args: string[], input?: string, environment: Record<string, string> = {}) =>
    callVedette(args, { ...settings(), ...environment }, input)
  const login = (email: string, password: string) => backend.call('POST', '/v1/auth/login', { body: { email, password } })
  const events = async (action: string) =>
    (await backend.call('GET', `/v1/audit-events?action=${action}`, { as: owner })).body.audit_events

  describe('identity-provider', () => {
    it('lists, shows and tests a provider', async () => {
      const provider = await startIdentityProvider(() => Date.now())
      try {
        const id = await addProvider(backend, owner, provider.issuer)
        const listed = await run(['identity-provider', 'list'])
        expect([listed.code, listed.stdout]).toEqual([0, `${id}  oidc    enabled   ${provider.issuer}  Example (Acme)\n`])
        const shown = await run(['identity-provider', 'show', '--id', id, '--json'])
        expect(shown.json).toMatchObject({ id, email_domains: ['example.com'], organization: { id: organizationId } })
        expect(shown.stdout).not.toContain('secret')
        const environment = { VEDETTE_ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' }
        const tested = await run(['identity-provider', 'test', '--id', id, '--json'], '', environment)
        const offered = { issuer: provider.issuer, signatures: ['RS256'], keys: [expect.any(String)], sends_issuer: true }
        expect([tested.code, tested.json]).toEqual([0, expect.objectContaining({ is_well: true, fault: null, ...offered })])
        provider.publish({ issuer: 'https://evil.example' })
        const wrong = await run(['identity-provider', 'test', '--id', id], '', environment)
        expect([wrong.code, wrong.stdout]).toEqual([1, expect.stringMatching(/^FAULT .*issuer/)])
        const blocked = await run(['identity-provider', 'test', '--id', id])
        expect([blocked.code, blocked.stdout]).toEqual([1, expect.stringMatching(/^FAULT/)])
        const unknown = await run(['identity-provider', 'show', '--id', 'idp_x'])
        expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('There is no identity provider idp_x')])
      } finally {
        await provider.close()
      }
    })
  })

  describe('version and help', () => {
    it('print the version and every command, as text and as JSON', async () => {
      expect(await runVedette(['version'])).toMatchObject({ code: 0, stdout: '0.1.0\n', stderr: '' })
      expect((await run(['version', '--json'])).json).toEqual({ version: '0.1.0' })
      const [help, json, nothing] = await Promise.all([run(['help']), run(['help', '--json']), run([])])
      expect([help.code, nothing.stdout === help.stdout]).toEqual([0, true])
      expect(json.json.commands.map(({ name }: { name: string }) => name)).toEqual([
        'start',
        'serve',
        'work',
        'probe check',
        'probe',
        'migrate',
        'compact',
        'status',
        'doctor',
        'backup',
        'restore',
        'export',
        'import',
        'user create',
        'user reset-password',
        'user reset-totp',
        'org list',
        'org set-plan',
        'identity-provider list',
        'identity-provider show',
        'identity-provider test',
        'plan',
        'apply',
        'undo',
        'drift',
        'pull',
        'migrate-from',
        'oncall-diff',
        'replay',
        'key create',
        'region add',
        'region list',
        'region rotate-token',
        'security-log',
        'config check',
        'config set',
        'service install',
        'service uninstall',
        'service status',
        'completion',
        'man',
        'version',
      ])
      for (const { name } of json.json.commands) expect(help.stdout).toContain(`vedette ${name}`)
      expect(json.json.exit_codes).toEqual({ done: 0, failed: 1, usage: 2 })
    })

    it('print the options of one command', async () => {
      const topic = await run(['key', 'create', '--help'])
      expect(topic).toMatchObject({ code: 0 })
      expect(topic.stdout).toMatch(/--scopes SCOPES +comma-separated: read, write, admin, agent/)
    })
  })

  it('usage errors and failures have different exit codes, and print the reason as text and as JSON', async () => {
    const wrong = await runVedette(['org', 'set-plan', UNKNOWN, 'gold', '--json'])
    expect([wrong.code, wrong.json]).toEqual([2, { error: { message: 'The plan must be one of free, pro, enterprise' } }])
    const failed = await runVedette(['org', 'set-plan', UNKNOWN, 'free'], settings())
    expect([failed.code, failed.stdout]).toEqual([1, ''])
    expect(failed.stderr).toMatch(/^vedette: There is no organization org_/)
  })

  describe('user create', () => {
    it('generates a password and prints it only once', async () => {
      const { code, json } = await run(['user', 'create', '--email', 'Made@Example.com', '--json'])
      expect(code).toBe(0)
      expect(json).toEqual({
        id: expect.stringMatching(/^usr_/),
        email: 'made@example.com',
        password: expect.stringMatching(/^[\w-]{24}$/),
      })
      expect((await login('made@example.com', json.password)).status).toBe(200)
    })

    it('reads the password from standard input, creates a member, and records it in the audit log', async () => {
      const args = ['user', 'create', '--email', 'piped@example.com', '--password-stdin', '--json']
      const member = [...args, '--organization', organizationId, '--role', 'viewer']
      const { code, json } = await runVedette(member, settings(), `${PASSWORD}\n`)
      expect([code, json.password]).toEqual([0, undefined])
      expect(json).toMatchObject({ organization_id: organizationId, role: 'viewer' })
      const { body } = await login('piped@example.com', PASSWORD)
      const as = { authorization: `Bearer ${body.token}` }
      expect((await backend.call('GET', '/v1/servers', { as })).status).toBe(200)
      expect((await backend.call('GET', '/v1/api-keys', { as })).status).toBe(403)
      expect(await events('member.added')).toMatchObject([{ actor: { type: 'system' }, target: { type: 'user', id: json.id } }])
    })

    it('refuses a weak password as a usage error, and an existing e-mail address as a failure', async () => {
      const args = ['user', 'create', '--email', 'again@example.com', '--password-stdin', '--json']
      const weak = await run(args, 'short\n')
      expect([weak.code, weak.json.error.message]).toEqual([2, expect.stringMatching(/12 to 128/)])
      expect((await run(args, PASSWORD)).code).toBe(0)
      const taken = await run(args, PASSWORD)
      expect([taken.code, taken.json.error.message]).toEqual([1, 'The user again@example.com already exists.'])
    })

    it('creates no user for an organization that does not exist', async () => {
      const args = ['user', 'create', '--email', 'lost@example.com', '--organization', UNKNOWN, '--json']
      expect((await run(args)).code).toBe(1)
      expect((await run(['user', 'reset-password', '--email', 'lost@example.com', '--json'])).json.error.message).toBe(
        'There is no user lost@example.com.',
      )
    })
  })

  it('user reset-password replaces the password, ends every session at the next request, and is recorded in the audit log [AUTH-26]', async () => {
    const email = 'forgetful@example.com'
    const role = ['--organization', organizationId, '--role', 'admin']
    const made = await run(['user', 'create', '--email', email, '--password-stdin', '--json', ...role], PASSWORD)
    const { body } = await login(email, PASSWORD)
    const as = { authorization: `Bearer ${body.token}` }
    expect((await backend.call('GET', '/v1/servers', { as })).status).toBe(200)
    // Somebody else may hold a link that was mailed before.
    const { db } = backend.pool
    const userId = parseId('user', made.json.id) as string
    const link = { user_id: userId, hash: Buffer.alloc(32), created_at: new Date(), expires_at: new Date(Date.now() + 3_600_000) }
    await db.insertInto('password_reset').values(link).execute()
    const { code, json } = await run(['user', 'reset-password', '--email', email.toUpperCase(), '--json'])
    expect([code, json.email]).toEqual([0, email])
    expect((await backend.call('GET', '/v1/servers', { as })).status).toBe(401)
    expect((await login(email, PASSWORD)).status).toBe(401)
    expect((await login(email, json.password)).status).toBe(200)
    expect(await db.selectFrom('password_reset').select('user_id').execute()).toEqual([])
    expect(await events('user.password_reset')).toMatchObject([{ target: { id: json.id }, details: { email } }])
    expect(JSON.stringify(await events('user.password_reset'))).not.toContain(json.password)
  })

  describe('replay', () => {
    it('prints who would have been notified, and compares two sets of a file', async () => {
      const period = ['--organization', organizationId, '--from', '2026-01-01T00:00:00Z', '--to', '2026-01-31T00:00:00Z']
      const plain = await run(['replay', ...period])
      expect([plain.code, plain.stdout]).toEqual([
        0,
        expect.stringContaining('set 1: 0 incidents (0 never notified), 0 notifications, 0 at night, none waited'),
      ])
      const folder = mkdtempSync(join(tmpdir(), 'vdt-replay-'))
      const file = join(folder, 'sets.json')
      writeFileSync(file, JSON.stringify([{}, { name: 'other' }]))
      const two = await run(['replay', ...period, '--sets', file, '--json'])
      expect(two.json).toMatchObject({ sets: [{ name: null }, { name: 'other' }], only_in: [{ notifications: 0 }, {}] })
      writeFileSync(file, JSON.stringify([{ alert_rules: [{ id: 'alr_x', for_seconds: 'long' }] }]))
      const wrong = await run(['replay', ...period, '--sets', file, '--json'])
      expect([wrong.code, wrong.json.error.message]).toEqual([1, expect.stringContaining('sets.0.alert_rules.0.for_seconds')])
      writeFileSync(file, JSON.stringify([{ without: ['alr_x'] }]))
      const unknown = await run(['replay', ...period, '--sets', file, '--json'])
      expect([unknown.code, unknown.json.error.message]).toEqual([1, expect.stringContaining('sets.0.without.0')])
      rmSync(folder, { recursive: true })
    })
  })

  describe('user reset-totp', () => {
    const reset = (email: string) => run(['user', 'reset-totp', '--email', email, '--json'])
    /** A member with a second factor, signed in with it. */
    async function withFactor(email: string) {
      const { json } = await run(
        ['user', 'create', '--email', email, '--password-stdin', '--organization', organizationId, '--json'],
        PASSWORD,
      )
      const as = { authorization: `Bearer ${(await login(email, PASSWORD)).body.token}` }
      const { secret, recovery_codes: codes } = (await backend.call('POST', '/v1/auth/totp', { as, body: {} })).body
      const code = await generate({ secret, epoch: Math.floor(backend.clock.now() / 1000) })
      expect((await backend.call('POST', '/v1/auth/totp', { as, body: { code } })).status).toBe(200)
      return { id: json.id as string, as, codes: codes as string[] }
    }

    it('removes the factor with its recovery codes and passkeys, ends every session, and is recorded in the audit log', async () => {
      const email = 'lost.phone@example.com'
      const { id, as, codes } = await withFactor(email)
      const credential = { credential_id: Buffer.of(1), public_key: Buffer.of(1), counter: 0, transports: [], synced: false }
      const own = { id: randomUUID(), user_id: decodeId('user', id), name: 'Phone', created_at: new Date(backend.clock.now()) }
      await backend.pool.db
        .insertInto('passkey')
        .values({ ...own, ...credential })
        .execute()
      expect((await login(email, PASSWORD)).body.error.code).toBe('totp_required')
      const { code, json } = await reset(email.toUpperCase())
      expect([code, json]).toEqual([0, { id, email, removed: true, sessions_ended: 1 }])
      expect((await backend.call('GET', '/v1/servers', { as })).status).toBe(401)
      const newLogin = await login(email, PASSWORD)
      expect(newLogin.status).toBe(200)
      const signedIn = { authorization: `Bearer ${newLogin.body.token}` }
      expect((await backend.call('GET', '/v1/auth/totp', { as: signedIn })).body).toEqual({
        enabled: false,
        enabled_at: null,
        recovery_codes_left: 0,
      })
      const left = await backend.pool.db.selectFrom('recovery_code').select('hash').execute()
      expect([codes.length, left]).toEqual([10, []])
      expect(await backend.pool.db.selectFrom('passkey').select('id').execute()).toEqual([])
      expect(await events('user.totp_reset')).toMatchObject([
        { actor: { type: 'system' }, target: { type: 'user', id }, ip: null, details: { email, sessions_ended: 1 } },
      ])
    })

    it('succeeds and changes nothing for a user without a second factor', async () => {
      const email = 'no.phone@example.com'
      await run(['user', 'create', '--email', email, '--password-stdin', '--organization', organizationId], PASSWORD)
      const as = { authorization: `Bearer ${(await login(email, PASSWORD)).body.token}` }
      const { code, json } = await reset(email)
      expect([code, json]).toMatchObject([0, { email, removed: false, sessions_ended: 0 }])
      expect((await backend.call('GET', '/v1/servers', { as })).status).toBe(200)
      expect(JSON.stringify(await events('user.totp_reset'))).not.toContain(email)
    })

    it('fails for an unknown e-mail address, and leaves other users unchanged', async () => {
      const { as } = await withFactor('kept@example.com')
      const { code, json } = await reset('nobody@example.com')
      expect([code, json]).toEqual([1, { error: { message: 'There is no user nobody@example.com.' } }])
      expect((await backend.call('GET', '/v1/auth/totp', { as })).body).toMatchObject({ enabled: true, recovery_codes_left: 10 })
    })
  })

  it('org list shows the plan and org set-plan changes it from the next registration on', async () => {
    const listed = await run(['org', 'list', '--json'])
    expect(listed.json.organizations).toMatchObject([{ id: organizationId, name: 'Acme', plan: 'enterprise', servers: 0 }])
    expect(listed.json.organizations[0].members).toBeGreaterThan(0)
    const set = await run(['org', 'set-plan', organizationId, 'free', '--json'])
    expect([set.code, set.json]).toEqual([0, { id: organizationId, plan: 'free', previous_plan: 'enterprise' }])
    expect((await run(['org', 'list'])).stdout).toMatch(new RegExp(`^${organizationId} +free .* Acme$`, 'm'))
    expect(await events('organization.plan_changed')).toMatchObject([{ details: { from: 'enterprise', to: 'free' } }])
    const crowded = await run(['user', 'create', '--email', 'crowd@example.com', '--organization', organizationId, '--json'])
    expect([crowded.code, crowded.json.error.message]).toEqual([1, expect.stringMatching(/free allows 3 members/)])
    expect((await run(['org', 'set-plan', organizationId, 'enterprise'])).stdout).toBe('Acme is on the plan enterprise\n')
  })

  it('key create creates a key of any scope that works immediately', async () => {
    const { code, json } = await run(['key', 'create', '--name', 'fleet', '--scopes', 'agent,read', '--json'])
    expect(code).toBe(0)
    expect(json).toMatchObject({ name: 'fleet', scopes: ['agent', 'read'], expires_at: null, organization_id: organizationId })
    const as = { 'x-api-key': json.key }
    expect((await backend.call('POST', '/v1/agent/register', { as, body: registration('cli') })).status).toBe(201)
    const plain = await run(['key', 'create', '--name', 'root', '--scopes', 'admin', '--expires-at', '2099-01-01T00:00:00Z'])
    expect(plain.stdout).toMatch(/^vdt_key_[0-9A-Za-z]{49}\n$/)
    const list = (await backend.call('GET', '/v1/api-keys', { as: { 'x-api-key': plain.stdout.trim() } })).body.api_keys
    expect(list).toMatchObject([
      { name: 'root', scopes: ['admin'], created_by: null, expires_at: '2099-01-01T00:00:00.000Z' },
      { id: json.id, name: 'fleet' },
    ])
  })

  it('migrate migrates an empty database, which other commands refuse before', async () => {
    const client = new pg.Client({ connectionString: backend.databaseUrl })
    await client.connect()
    const name = `cli_${process.pid}_${Date.now()}`
    await client.query(`create database ${name}`)
    const url = new URL(backend.databaseUrl)
    url.pathname = `/${name}`
    try {
      const empty = { DATABASE_URL: url.href }
      const early = await run(['org', 'list', '--json'], '', empty)
      expect([early.code, early.json.error.message]).toEqual([1, expect.stringMatching(/Run "vedette migrate" first/)])
      const first = await run(['migrate', '--json'], '', empty)
      expect([first.code, first.json.applied[0]]).toEqual([0, '0001-installation'])
      expect((await run(['migrate', '--json'], '', empty)).json).toEqual({ applied: [] })
      expect((await run(['org', 'list', '--json'], '', empty)).json).toEqual({ organizations: [] })
      const keyless = await run(['key', 'create', '--name', 'x', '--scopes', 'read', '--json'], '', empty)
      expect([keyless.code, keyless.json.error.message]).toEqual([1, 'There is no organization yet.'])
    } finally {
      await dropWithConnections(client, name)
      await client.end()
    }
  })

  it('a command without a reachable database fails with the reason', async () => {
    const { code, json } = await run(['org', 'list', '--json'], '', { DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/none' })
    expect([code, json.error.message]).toEqual([1, expect.stringMatching(/DATABASE_URL/)])
    expect(JSON.stringify(json)).not.toContain('hunter2')
  })

  // Last of those that take the only organization for granted.
  it('org set-plan limits servers and members from the next request on: the answer is a 402 that names the limit', async () => {
    const shop = await backend.organization('Shop')
    const as = await backend.member(shop, 'owner')
    const key = await backend.apiKey(shop, 'agent')
    const register = (machine: string) =>
      backend.call('POST', '/v1/agent/register', { as: key, body: registration(`shop-${machine}`) })
    const invite = (email: string) =>
      backend.call('POST', `/v1/organizations/${shop.id}/members/invite`, { as, body: { email, role: 'viewer' } })
    for (let index = 0; index < PLANS.free.servers; index += 1) expect((await register(String(index))).status).toBe(201)
    // Two owners: the one that the organization was made with, and the one who asks.
    for (let members = 2; members < PLANS.free.members; members += 1) await backend.member(shop, 'viewer')
    expect([(await register('before')).status, (await invite('before@example.com')).status]).toEqual([201, 201])

    expect((await run(['org', 'set-plan', shop.id, 'free', '--json'])).json).toMatchObject({ plan: 'free' })
    for (const [answer, limit] of [
      [await register('after'), `${PLANS.free.servers} servers`],
      [await invite('after@example.com'), `${PLANS.free.members} members`],
    ] as const) {
      expect([answer.status, answer.body.error.code]).toEqual([402, 'plan_limit_reached'])
      expect(answer.body.error.message).toContain(`The plan free allows ${limit}`)
    }
    expect((await run(['org', 'set-plan', shop.id, 'pro'])).code).toBe(0)
    expect([(await register('after')).status, (await invite('after@example.com')).status]).toEqual([201, 201])
  })

  describe('region add, list and rotate-token', () => {
    it('create a region for a probe, print its token once, and replace the token [START-41]', async () => {
      const added = await run(['region', 'add', 'eu-west', '--name', 'Europe', '--json'])
      expect(added).toMatchObject({ code: 0, json: { id: 'eu-west', name: 'Europe', token: expect.stringMatching(/^vdt_prb_/) } })
      const requestJobs = (token: string) =>
        backend.call('POST', '/v1/probe/claims', { as: { 'x-api-key': token }, body: { worker_id: randomUUID() } })
      expect((await requestJobs(added.json.token)).status).toBe(200)
      expect(await run(['region', 'add', 'eu-west', '--name', 'Again'])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Region eu-west already exists'),
      })
      const { json } = await run(['region', 'list', '--json'])
      expect(json.regions).toMatchObject([{ id: 'eu-west', name: 'Europe' }, { id: 'local' }])
      const rotated = await run(['region', 'rotate-token', 'eu-west'])
      expect((await requestJobs(added.json.token)).status).toBe(401)
      expect((await requestJobs(rotated.stdout.trim())).status).toBe(200)
    })

    it('refuse an invalid id and an unknown region', async () => {
      const wrong = await run(['region', 'add', 'Europe!', '--name', 'x'])
      expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('a-z, 0-9') })
      expect(await run(['region', 'add', 'x'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--name is missing') })
      expect(await run(['region', 'rotate-token', 'nowhere'])).toMatchObject({ code: 1 })
    })
  })

  it('config set allows private targets for checks, and forbids them [SETUP-06]', async () => {
    const set = (...words: string[]) => run(['config', 'set', ...words, '--json'])
    const setting = { name: 'allow-private-targets', is_overruled: false }
    expect(await set('allow-private-targets', 'on')).toMatchObject({ code: 0, json: { ...setting, value: 'on' } })
    expect(await arePrivateTargetsAllowed(backend.pool.db)).toBe(true)
    expect(await set('allow-private-targets', 'off')).toMatchObject({ code: 0, json: { ...setting, value: 'off' } })
    expect(await arePrivateTargetsAllowed(backend.pool.db)).toBe(false)
    expect((await set('allow-private-targets', 'yes')).code).toBe(2)
    expect((await set('allow-everything', 'on')).code).toBe(2)
    const overruled = await run(['config', 'set', 'allow-private-targets', 'on'], '', { VEDETTE_ALLOW_PRIVATE_TARGETS: 'all' })
    expect(overruled.stdout).toMatch(/VEDETTE_ALLOW_PRIVATE_TARGETS is set and takes precedence/)
  })

  it('an older version refuses a database that a newer one has migrated, in one line [INSTALL-07]', async () => {
    const { pg: database } = backend.pool
    const newer = '9999-of-a-newer-version'
    await database.query('insert into kysely_migration (name, timestamp) values ($1, now())', [newer])
    const { code, stdout, stderr } = await runVedette(['serve'], { ...settings(), VEDETTE_PORT: '0' })
    await database.query('delete from kysely_migration where name = $1', [newer])
    expect([code, stderr]).toEqual([
      1,
      'vedette: The database was migrated by a newer version of Vedette. Start that version or a newer one; going back is not possible.\n',
    ])
    expect(stdout).not.toContain('ready')
    await database.query("insert into kysely_migration (name, timestamp) values ('0000-of-another-build', now())")
    const other = await run(['migrate'])
    await database.query("delete from kysely_migration where name = '0000-of-another-build'")
    expect([other.code, other.stderr]).toEqual([
      1,
      expect.stringContaining('a build of Vedette that this version does not follow'),
    ])
  })

  describe('security-log', () => {
    it('prints the events of the whole installation, as columns and as JSON lines', async () => {
      const name = 'Evil\u001b[2J\u202e'
      const { body } = await backend.call('POST', '/v1/api-keys', { as: owner, body: { name, scopes: ['read'] } })
      const at = new Date(backend.clock.now())
      const event = { type: 'api_key.new_network', principal: { kind: 'api_key', keyId: decodeId('apiKey', body.id) } } as const
      const organization = (await backend.pool.db.selectFrom('organization').select('number').executeTakeFirstOrThrow()).number
      await recordSecurityEvent(
        backend.pool.db,
        { ...event, organization, ip: '192.0.2.9', details: { network: '192.0.2.0/24' } },
        at,
      )
      const { code, stdout } = await run(['security-log', '--type', 'api_key.new_network'])
      expect([code, stdout]).toEqual([
        0,
        `${at.toISOString()}  api_key.new_network           Evil\\u{1b}[2J\\u{202e}  192.0.2.9  ${organizationId}  network="192.0.2.0/24"\n`,
      ])
      const lines = (await run(['security-log', '--json'])).stdout.trimEnd().split('\n')
      expect(lines.length).toBeGreaterThan(1)
      const printed = lines.map((line) => JSON.parse(line)).find(({ type }) => type === 'api_key.new_network')
      expect(printed).toMatchObject({
        type: 'api_key.new_network',
        organization_id: organizationId,
        actor: { name },
      })
      expect(await run(['security-log', '--to', at.toISOString(), '--type', 'api_key.new_network'])).toMatchObject({
        code: 0,
        stdout: '',
      })
      expect(await run(['security-log', '--type', 'nothing'])).toMatchObject({ code: 2 })
      expect(await run(['security-log', '--from', 'yesterday'])).toMatchObject({ code: 2 })
    })
  })

  describe('config check', () => {
    it('prints the effective settings with masked secrets [START-12]', async () => {
      const file = join(folder, 'vedette.env')
      writeFileSync(file, 'VEDETTE_PORT=9090\nVEDETTE_HOST=::\n')
      const secrets = {
        VEDETTE_SECRET_KEYS: 'hunter2'.repeat(6),
        VEDETTE_ADMIN_EMAIL: 'me@example.com',
        VEDETTE_ADMIN_PASSWORD: 'hunter2hunter2',
        DATABASE_URL: 'postgres://me:hunter2@db.example/vedette?sslmode=require&password=hunter2',
      }
      const { code, json } = await run(['config', 'check', '--json', '--env-file', file], '', {
        ...secrets,
        VEDETTE_HOST: '127.0.0.2',
      })
      expect(code).toBe(0)
      expect(json.settings).toMatchObject({
        VEDETTE_PORT: { value: 9090, is_default: false },
        VEDETTE_HOST: { value: '127.0.0.2', is_default: false },
        VEDETTE_LOG_LEVEL: { value: 'info', is_default: true },
        VEDETTE_PUBLIC_URL: { value: null, is_default: true },
        VEDETTE_ADMIN_EMAIL: { value: 'me@example.com' },
        VEDETTE_ADMIN_PASSWORD: { value: '•••' },
        VEDETTE_SECRET_KEYS: { value: '•••' },
        DATABASE_URL: { value: 'postgres://me:•••@db.example/vedette?sslmode=require&password=•••' },
      })
      for (const [url, shown] of [
        ['smtp://u:hunter2@mail.example:587?from=alerts@example.com', 'smtp://u:•••@mail.example:587?from=alerts@example.com'],
        ['smtp://u:hunter2@hunter2@mail.example?from=alerts@example.com', 'smtp://u:•••@mail.example?from=alerts@example.com'],
        ['smtps://u:hunter2@[::1]:465', 'smtps://u:•••@[::1]:465'],
        ['smtp://u:hunter2@mail.example?tls=off&from=a@b.example', 'smtp://u:•••@mail.example?tls=off&from=a@b.example'],
      ] as const) {
        const { json: found } = await run(['config', 'check', '--json'], '', { VEDETTE_SMTP_URL: url })
        expect(found.settings?.VEDETTE_SMTP_URL.value).toBe(shown)
      }
      const plain = await run(['config', 'check'], '', secrets)
      expect(plain.stdout).toContain('VEDETTE_PORT=8080  (default)')
      expect(JSON.stringify([json, plain])).not.toContain('hunter2')
    })

    it('prints every fault at once and exits with code 2 [START-13, START-14]', async () => {
      const { code, json } = await run(['config', 'check', '--json'], '', { VEDETTE_PORT: 'x', VEDETTE_PROT: '1' })
      expect([code, json.error.faults]).toEqual([
        2,
        [expect.stringContaining('VEDETTE_PROT'), expect.stringContaining('VEDETTE_PORT')],
      ])
      const tls = { VEDETTE_TLS_CERT_FILE: '/nowhere/cert.pem', VEDETTE_TLS_KEY_FILE: '/nowhere/key.pem' }
      const files = await run(['config', 'check', '--json'], '', tls)
      expect([files.code, files.json.error.faults[0]]).toEqual([2, expect.stringMatching(/TLS.*cert\.pem/)])
    })
  })
})
