import { createECDH } from 'node:crypto'
import { createClient, type Credentials, VedetteError } from '@vedette/client'
import { type Route, ROUTES } from '@vedette/client/routes'
import type { RegisterBody } from '@vedette/shared'
import { generate } from 'otplib/functional'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSecrets } from '../../src/platform/crypto/installation-secrets.ts'
import { setupCode } from '../../src/operating/setup/index.ts'
import { registration, startTestBackend, TEST_SECRET, type TestBackend } from '../harness.ts'
import { createTestAuthenticator } from '../authenticator.ts'
import { openTestIncident } from '../incident.ts'

const EMAIL = 'ada@example.com'
const PASSWORDS = ['a long and rare passphrase', 'another long and rare one'] as const

/** The life of an installation, as calls of the client to a backend. Each test continues where the previous one ended. */
describe('the client and a backend', () => {
  let backend: TestBackend
  let baseUrl: string
  let session: Credentials | undefined
  /** `GET /v1/servers/srv_…` of each call that was made. */
  const made: string[] = []
  const client = (given: () => Credentials | undefined) =>
    createClient({
      baseUrl,
      credentials: given,
      fetch: (url, init) => {
        made.push(`${init.method} ${new URL(url).pathname}`)
        return fetch(url, init)
      },
    })
  let ada: ReturnType<typeof client>
  let organizationId = ''
  beforeAll(async () => {
    backend = await startTestBackend()
    baseUrl = await backend.vedette.app.listen({ port: 0 })
    ada = client(() => session)
  })
  afterAll(() => backend.close())

  /** What the call fails with. */
  const refusal = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error)

  /** Finds what was deleted, brings it back, and deletes it again. */
  async function bringBack(
    noun: { restore(id: string): Promise<{ id: string }>; remove(id: string): Promise<unknown> },
    deleted: { list(): Promise<{ deleted: { id: string }[] }> },
    id: string,
  ): Promise<void> {
    expect((await deleted.list()).deleted.map((one) => one.id)).toContain(id)
    expect((await noun.restore(id)).id).toBe(id)
    await noun.remove(id)
  }

  test('set-up, sign in and out', async () => {
    expect(await ada.setup.read()).toEqual({ required: true })
    const owner = { email: EMAIL, password: PASSWORDS[0], organization: 'Acme' }
    expect(await refusal(ada.setup.complete({ ...owner, code: 'wrong' }))).toMatchObject({ status: 401, code: 'unauthorized' })
    session = await ada.setup.complete({ ...owner, code: setupCode(createSecrets([TEST_SECRET])) })
    await ada.auth.logout()
    expect(await refusal(ada.auth.me())).toBeInstanceOf(VedetteError)
    session = await ada.auth.login({ email: EMAIL, password: PASSWORDS[0] })
    // Browsers send the cookie; here there is none, and the refusal says that all else was right.
    expect(await refusal(ada.auth.refresh())).toMatchObject({ status: 401, code: 'unauthorized' })
    const me = await ada.auth.me()
    expect(await ada.me.read()).toEqual(me)
    expect(await ada.auth.updateMe({ name: 'Ada Lovelace' })).toMatchObject({ name: 'Ada Lovelace' })
    organizationId = me.organizations[0]?.id ?? ''
    expect([me.email, me.organizations[0]?.name]).toEqual([EMAIL, 'Acme'])
  })

  test('passwords and sessions', async () => {
    const wrong = { current_password: 'wrong', new_password: PASSWORDS[1] }
    expect(await refusal(ada.auth.changePassword(wrong))).toMatchObject({ code: 'unauthorized' })
    session = await ada.auth.changePassword({ ...wrong, current_password: PASSWORDS[0] })
    await ada.auth.login({ email: EMAIL, password: PASSWORDS[1] })
    const other = (await ada.sessions.list()).sessions.find(({ current }) => !current)
    await ada.sessions.end(other?.id ?? '')
    expect((await ada.sessions.list({ limit: 1 })).total).toBe(1)
    // Without a mail server no mail is sent, and the answer does not show it.
    expect(await ada.auth.requestPasswordReset({ email: 'nobody@example.com' })).toBeUndefined()
    const reset = { token: 'unknown', new_password: PASSWORDS[1] }
    expect(await refusal(ada.auth.confirmPasswordReset(reset))).toMatchObject({ code: 'not_found' })
  })

  test('browser notifications', async () => {
    const keys = { p256dh: createECDH('prime256v1').generateKeys('base64url'), auth: 'BTBZMqHH6r4Tts7J_aSIgg' }
    const { id } = await ada.pushSubscriptions.create({ endpoint: 'https://127.0.0.1:1/', keys })
    expect(await ada.pushSubscriptions.test(id)).toMatchObject({ delivered: false, status_code: null })
    expect((await ada.pushSubscriptions.list()).push_subscriptions).toMatchObject([{ id, last_error: { attempts: 1 } }])
    await ada.pushSubscriptions.remove(id)
    expect((await ada.pushSubscriptions.list()).total).toBe(0)
  })

  test('the e-mail', async () => {
    const input = { email: 'ada@example.org', password: PASSWORDS[1] }
    expect(await ada.auth.changeEmail(input)).toMatchObject({ email: input.email, email_verified: false, pending_email: null })
    await ada.auth.changeEmail({ ...input, email: EMAIL })
    // Without a mail server no link can be mailed.
    expect(await refusal(ada.auth.requestEmailVerification())).toMatchObject({ code: 'conflict' })
    expect(await refusal(ada.auth.verifyEmail({ token: 'unknown' }))).toMatchObject({ code: 'not_found' })
    expect(await refusal(ada.auth.deleteAccount({ password: PASSWORDS[1] }))).toMatchObject({ code: 'conflict' })
  })

  test('chat accounts', async () => {
    expect(await refusal(ada.chatAccounts.connect({ code: 'unknown' }))).toMatchObject({ status: 400 })
    expect((await ada.chatAccounts.list()).total).toBe(0)
    expect(await refusal(ada.chatAccounts.remove('cha_01h455vb4pex5vsknk084sn02q'))).toMatchObject({ code: 'not_found' })
  })

  test('passkeys', async () => {
    const key = createTestAuthenticator(baseUrl.replace('127.0.0.1', 'localhost'))
    const made = key.create(await ada.passkeys.startCreate({}))
    const { id } = await ada.passkeys.create({ name: 'Laptop', credential: made })
    expect((await ada.passkeys.rename(id, { name: 'Phone' })).name).toBe('Phone')
    const credential = key.get(await ada.passkeys.startSignIn())
    expect((await ada.passkeys.signIn({ credential })).token).toBeTypeOf('string')
    expect((await ada.passkeys.list()).passkeys).toMatchObject([{ id, name: 'Phone' }])
    await ada.passkeys.remove(id, {})
    expect((await ada.passkeys.list()).total).toBe(0)
  })

  test('a second factor', async () => {
    const started = await ada.totp.setUp({})
    if (!('secret' in started)) throw new Error('it should have been a start')
    const code = await generate({ secret: started.secret, epoch: Math.floor(backend.clock.now() / 1000) })
    expect(await ada.totp.setUp({ code })).toMatchObject({ enabled: true })
    expect((await ada.totp.read()).recovery_codes_left).toBe(started.recovery_codes.length)
    const login = { email: EMAIL, password: PASSWORDS[1] }
    expect(await refusal(ada.auth.login(login))).toMatchObject({ status: 401, code: 'totp_required' })
    await ada.totp.remove({ password: PASSWORDS[1] })
    await ada.auth.login(login)
  })

  test('organizations, members and invitations', async () => {
    const second = await ada.organizations.create({ name: 'Second' }, { idempotencyKey: 'one wish' })
    expect(await ada.organizations.create({ name: 'Second' }, { idempotencyKey: 'one wish' })).toEqual(second)
    expect((await ada.organizations.update(second.id, { name: 'Third' })).name).toBe('Third')
    await ada.organizations.remove(second.id, { name: 'Third' })
    expect((await ada.organizations.list()).total).toBe(1)

    const revoked = await ada.invitations.create(organizationId, { email: 'bob@example.com', role: 'viewer' })
    await ada.invitations.revoke(organizationId, revoked.id)
    const { accept_url } = await ada.invitations.create(organizationId, { email: 'eve@example.com', role: 'viewer' })
    expect((await ada.invitations.list(organizationId)).invitations.map(({ email }) => email)).toEqual(['eve@example.com'])
    const token = new URL(accept_url ?? '').searchParams.get('token') ?? ''
    expect(await client(() => undefined).invitations.read({ token })).toMatchObject({ role: 'viewer' })
    const eve = await ada.invitations.accept({ token, password: PASSWORDS[0] })
    expect(await refusal(client(() => eve).organizations.update(organizationId, { name: 'Eve' }))).toMatchObject({
      code: 'forbidden',
    })
    expect(await ada.me.updateMembership(organizationId, { weekly_summary: true })).toMatchObject({ weekly_summary: true })
    const { members } = await ada.members.list(organizationId)
    const eveId = members.find(({ email }) => email === 'eve@example.com')?.id ?? ''
    expect((await ada.members.update(organizationId, eveId, { role: 'member' })).role).toBe('member')
    await ada.members.remove(organizationId, eveId)
    expect(await ada.organizations.read(organizationId)).toMatchObject({ name: 'Acme', member_count: 1 })
  })

  test('alert rules', async () => {
    const body = {
      name: 'slow',
      target: { type: 'monitor' },
      condition: { metric: 'response_ms', operator: 'greater_than', value: 900 },
    } as const
    const made = await ada.alertRules.create(body, { idempotencyKey: 'a rule' })
    expect(await ada.alertRules.read(made.id)).toEqual(made)
    expect((await ada.alertRules.preview(body)).step_seconds).toBe(300)
    expect((await ada.alertRules.addDefaults()).alert_rules).toEqual([])
    expect((await ada.alertRules.update(made.id, { clear_value: 700 })).clear_value).toBe(700)
    expect((await ada.alertRules.list()).alert_rules[0]?.id).toBe(made.id)
    await ada.alertRules.remove(made.id)
    expect(await refusal(ada.alertRules.read(made.id))).toMatchObject({ code: 'not_found' })
    await bringBack(ada.alertRules, ada.deletedAlertRules, made.id)
  })

  test('maintenance windows', async () => {
    const times = { starts_at: '2026-11-22T01:00:00.000Z', ends_at: '2026-11-22T03:00:00.000Z' }
    const body = { name: 'updates', target: { type: 'monitor' }, ...times } as const
    const made = await ada.maintenanceWindows.create(body, { idempotencyKey: 'a window' })
    expect(await ada.maintenanceWindows.read(made.id)).toEqual(made)
    expect((await ada.maintenanceWindows.update(made.id, { repeat: 'FREQ=DAILY' })).repeat).toBe('FREQ=DAILY')
    expect((await ada.maintenanceWindows.list()).maintenance_windows).toHaveLength(1)
    await ada.maintenanceWindows.remove(made.id)
    expect(await refusal(ada.maintenanceWindows.read(made.id))).toMatchObject({ code: 'not_found' })
    await bringBack(ada.maintenanceWindows, ada.deletedMaintenanceWindows, made.id)
  })

  test('status pages', async () => {
    const body = { name: 'Public', slug: 'client-calls', title: 'Status' } as const
    const made = await ada.statusPages.create(body, { idempotencyKey: 'a page' })
    expect(await ada.statusPages.read(made.id)).toEqual(made)
    expect((await ada.statusPages.preview(made.id)).html).toContain('<h1 dir="auto">')
    expect((await ada.statusPages.previewDraft({ title: 'Draft' })).html).toContain('Draft')
    expect((await ada.statusPages.update(made.id, { published: true })).published).toBe(true)
    expect((await ada.statusPages.list()).status_pages).toHaveLength(1)
    expect(await refusal(ada.statusPages.verifyDomain(made.id))).toMatchObject({ code: 'conflict' })
    const post = await ada.statusPosts.create(made.id, { type: 'incident', title: 'Slow', text: 'We look.' })
    expect(await ada.statusPosts.read(made.id, post.id)).toEqual(post)
    expect((await ada.statusPosts.list(made.id)).posts).toHaveLength(1)
    const update = await ada.statusPosts.addUpdate(made.id, post.id, { text: 'Done', status: 'resolved' })
    expect((await ada.statusPosts.correctUpdate(made.id, post.id, update.id, { text: 'Done.' })).text).toBe('Done.')
    expect((await ada.statusPosts.update(made.id, post.id, { impact: 'minor' })).status).toBe('resolved')
    expect(await refusal(ada.statusPosts.draft(made.id, { monitor: 'mon_nothing' }))).toMatchObject({ code: 'validation_error' })
    await ada.statusPosts.remove(made.id, post.id)
    const hook = await ada.statusSubscribers.create(made.id, { type: 'slack', url: 'https://hooks.slack.example/services/x' })
    expect((await ada.statusSubscribers.list(made.id)).subscribers).toMatchObject([{ id: hook.id }])
    await ada.statusSubscribers.remove(made.id, hook.id)
    await ada.statusPages.remove(made.id)
    expect(await refusal(ada.statusPages.read(made.id))).toMatchObject({ code: 'not_found' })
    await bringBack(ada.statusPages, ada.deletedStatusPages, made.id)
  })

  test('incidents', async () => {
    const number = (await backend.pool.db.selectFrom('organization').select('number').executeTakeFirstOrThrow()).number
    const id = await openTestIncident(backend, { number, id: organizationId, name: 'Acme' })
    expect((await ada.incidents.list({ status: 'open' })).incidents.map((one) => one.id)).toEqual([id])
    expect((await ada.incidents.acknowledge(id, { comment: 'mine' })).status).toBe('acknowledged')
    await ada.incidents.comment(id, { comment: 'it was the switch' })
    expect((await ada.incidents.resolve(id, {})).status).toBe('resolved')
    const start = (await ada.events.since({})).last_event_id
    expect(start).toMatch(/^evt_/)
    const types = (await ada.incidents.read(id)).timeline.map(({ type }) => type)
    expect(types).toEqual(['opened', 'acknowledged', 'comment', 'comment', 'resolved'])
    const story = await ada.incidents.story(id)
    expect(story.events.map(({ kind }) => kind).filter((kind) => kind !== 'change')).toEqual(types)
    expect(await ada.incidents.story(id, { format: 'markdown' })).toContain('## What happened')
  })

  test('channels', async () => {
    const config = { url: 'https://hooks.example.com/' }
    const made = await ada.channels.create({ name: 'hook', type: 'webhook', config })
    expect(made.config.secret).toMatch(/^whsec_/)
    expect((await ada.channels.read(made.id)).config).toEqual({ ...config, secret: '•••' })
    expect((await ada.channels.update(made.id, { enabled: false })).enabled).toBe(false)
    expect((await ada.channels.list()).channels.map(({ id }) => id)).toEqual([made.id])
    await ada.channels.update(made.id, { config: { url: 'http://192.0.2.1/' } })
    expect(await ada.channels.test(made.id)).toMatchObject({ delivered: false, error: { code: 'blocked' } })
    const draft = { name: 'draft', type: 'webhook', config: { url: 'http://192.0.2.1/' } } as const
    expect(await ada.channels.testNew(draft)).toMatchObject({ delivered: false, error: { code: 'blocked' } })
    expect((await ada.channels.preview({ type: 'slack', title_template: '{{ tone }}' })).title).toBe('critical')
    await ada.channels.remove(made.id)
    expect((await ada.channels.list()).total).toBe(0)
    await bringBack(ada.channels, ada.deletedChannels, made.id)
  })

  test('monitors with their checks', async () => {
    const made = await ada.monitors.create({ name: 'Shop', url: 'https://shop.example.com/' }, { idempotencyKey: 'a shop' })
    const { id } = made
    expect(await ada.monitors.test({ name: 'Shop', url: 'https://shop.example.com/' })).toMatchObject({
      outcome: 'up',
      region: 'local',
    })
    expect(await ada.monitors.update(id, { interval: 30 })).toMatchObject({ name: 'Shop', interval: 30 })
    expect((await ada.monitors.pause(id)).status).toBe('paused')
    expect((await ada.monitors.list({ status: 'paused' })).monitors.map((one) => one.id)).toEqual([id])
    expect((await ada.monitors.resume(id)).status).toBe('up')
    expect((await ada.monitors.check(id)).id).toBe(id)
    expect((await ada.transitions.list(id)).transitions.map(({ to_status: to }) => to)).toEqual(['up', 'paused'])
    expect(await ada.pings.list(id)).toMatchObject({ pings: [], total: 0 })
    const { ping_key: key } = await ada.pingKey.replace({})
    expect(await ada.pingKey.read()).toMatchObject({ ping_key: key })
    expect(await ada.checks.list(id, { status: 'down' })).toMatchObject({ checks: [], total: 0 })
    expect(await ada.monitors.stats(id, { period: '7d' })).toMatchObject({ total_checks: 0, uptime_percent: 100 })
    const span = { from: '2026-11-20T09:00:00.000Z', to: '2026-11-20T09:10:00.000Z' }
    const said = await ada.reclassifications.create(id, { ...span, as: 'maintenance', comment: 'announced' })
    expect((await ada.reclassifications.list(id)).reclassifications).toEqual([said])
    await ada.reclassifications.remove(id, said.id)
    expect((await ada.reclassifications.list(id)).total).toBe(0)
    const { results } = await ada.monitors.bulk({ create: [{ name: 'Blog', url: 'https://blog.example.com/' }], delete: [id] })
    expect(results.map(({ action }) => action)).toEqual(['create', 'delete'])
    expect(await refusal(ada.monitors.read(id))).toMatchObject({ code: 'not_found' })
    expect((await ada.deletedMonitors.list()).monitors.map((one) => one.id)).toContain(id)
    expect((await ada.monitors.restore(id)).id).toBe(id)
    expect((await ada.monitors.bulk({ restore: [id] })).results.map(({ action }) => action)).toEqual(['restore'])
    await ada.monitors.remove(id)
    await ada.monitors.remove(results[0]?.id ?? '')
    expect((await ada.monitors.list()).total).toBe(0)
  })

  test('change sets', async () => {
    const spec = { name: 'Shop', url: 'https://shop.example.com' }
    const proposed = await ada.changeSets.propose({ owner: 'git:infra', resources: [{ kind: 'monitor', ref: 'shop', spec }] })
    const { id, steps } = await ada.changeSets.apply(proposed.id)
    expect(await ada.changeSets.read(id)).toMatchObject({ state: 'applied', steps: [{ action: 'create' }] })
    expect((await ada.configuration.read({ owner: 'git:infra' })).resources).toMatchObject([{ kind: 'monitor', ref: 'shop' }])
    expect(await ada.configuration.drift({ owner: 'git:infra' })).toEqual({ resources: [], warnings: [] })
    const compared = await ada.configuration.compare({ owner: 'git:infra', prune: true, confirm_deletes: 1, resources: [] })
    expect(compared).toMatchObject({ summary: { delete: 1 }, steps: [{ action: 'delete' }] })
    await ada.changeSets.undo(id, {})
    expect((await ada.changeSets.list({ state: 'undone' })).change_sets.map((one) => one.id)).toEqual([id])
    expect((await ada.monitors.list()).monitors.map((one) => one.id)).not.toContain(steps[0]?.id)
  })

  test('enrollment tokens', async () => {
    const annotation = await ada.annotations.create({ text: 'Deployed', tags: ['web'] })
    expect((await ada.annotations.list({ tag: ['web'] })).annotations).toEqual([annotation])
    const certificate = await ada.certificates.create({ name: 'VPN', not_after: '2030-01-01T00:00:00.000Z' })
    expect((await ada.certificates.list()).certificates.map((one) => one.id)).toEqual([certificate.id])
    expect((await ada.certificates.update(certificate.id, { name: 'VPN of Berlin' })).name).toBe('VPN of Berlin')
    expect((await ada.certificates.read(certificate.id)).source).toBe('manual')
    await ada.certificates.remove(certificate.id)
    const { id, token } = await ada.enrollmentTokens.create({ uses: 2, tags: ['web'] })
    const { server_id: server } = await client(() => ({ apiKey: token })).agent.register(registration('enrolled') as RegisterBody)
    expect((await ada.servers.read(server)).tags).toEqual(['web'])
    await ada.enrollmentTokens.revoke(id)
    expect((await ada.enrollmentTokens.list()).enrollment_tokens).toMatchObject([{ id, uses: 2, uses_left: 1 }])
    await ada.servers.remove(server)
  })

  test('keys, agents and servers', async () => {
    const key = await ada.apiKeys.create({ name: 'agents', scopes: ['agent'] }, { idempotencyKey: 'a key' })
    // The answer held a secret, which nobody keeps.
    const repeated = ada.apiKeys.create({ name: 'agents', scopes: ['agent'] }, { idempotencyKey: 'a key' })
    expect(await refusal(repeated)).toMatchObject({ code: 'conflict', details: [{ path: 'id', message: key.id }] })
    const host = registration('host-1') as RegisterBody
    const registered = await client(() => ({ apiKey: key.key })).agent.register(host)
    const agent = client(() => ({ apiKey: registered.token })).agent
    await agent.updateFacts({ kernel: '6.1.1' })
    const batch = { batch_id: crypto.randomUUID(), sent_at: new Date(backend.clock.now()).toISOString(), agent_version: '0.1.0' }
    const columns = { at_ms: [backend.clock.now() - 10_000], cpu: { percent: [12.5] }, memory: { percent: [50] } }
    expect(await agent.submitMetrics({ ...batch, columns })).toMatchObject({ accepted: 1, rejected: [] })

    const { server_id: id } = registered
    const entities = [{ kind: 'container', name: 'web', values: { cpu_percent: 3 } }]
    await agent.submitMetrics({ ...batch, batch_id: crypto.randomUUID(), columns, entities })
    const [container] = (await ada.serverEntities.list(id, { kind: 'container' })).entities
    expect((await ada.entities.list({ kind: 'container' })).entities).toEqual([container])
    const entityId = container?.id ?? ''
    expect(await ada.serverEntities.read(id, entityId)).toMatchObject({ name: 'web', values: { cpu_percent: 3 }, events: [] })
    expect((await ada.serverEntities.metrics(id, entityId, { period: '15m' })).metrics['cpu_percent']?.max).toBe(3)
    const [listed] = (await ada.servers.list({ status: 'online', include: 'metrics', tag: [] })).servers
    expect(listed).toMatchObject({ id, kernel: '6.1.1', metrics: { cpu: { percent: 12.5 } } })
    expect(await ada.servers.update(id, { tags: ['web'] })).toMatchObject({ tags: ['web'] })
    expect((await ada.servers.list({ tag: ['web', 'db'] })).total).toBe(0)
    expect((await ada.servers.metrics(id, { period: '15m', points: 10 })).metrics.cpu?.current_percent).toBe(12.5)
    expect((await ada.servers.processes(id, {})).processes).toEqual([])
    expect((await ada.servers.forecast(id)).forecasts).toMatchObject([{ subject: 'memory', silence: 'too_few_days' }])
    const { token } = await ada.servers.regenerateToken(id)
    expect(token).not.toBe(registered.token)
    expect(await refusal(agent.updateFacts({}))).toMatchObject({ code: 'unauthorized' })
    expect((await ada.servers.read(id)).hostname).toBe(listed?.hostname)
    await ada.servers.remove(id)
    expect(await refusal(ada.servers.read(id))).toMatchObject({
      code: 'not_found',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    const { drop_labels } = await ada.apiKeys.update(key.id, { drop_labels: ['pod'] })
    expect((await ada.apiKeys.read(key.id)).drop_labels).toEqual(drop_labels)
    await ada.apiKeys.revoke(key.id)
    expect((await ada.apiKeys.list()).api_keys[0]?.revoked_at).not.toBeNull()
  })

  test('regions and their probes', async () => {
    const token = (await backend.probe('eu-west'))['x-api-key']
    const { probe } = client(() => ({ apiKey: token }))
    expect(await probe.claim({ worker_id: crypto.randomUUID() })).toMatchObject({ region: 'eu-west', checks: [] })
    expect(await probe.submitResults({ results: [] })).toEqual({ accepted: 0, refused: 0 })
    expect((await ada.regions.read()).regions).toContainEqual({
      id: 'eu-west',
      name: 'eu-west',
      status: 'online',
      control_targets: [],
    })
  })

  test('the overview', async () => {
    const { total } = await ada.servers.list()
    expect((await ada.overview.read()).servers.total).toBe(total)
    expect((await ada.overview.states()).servers_total).toBe(total)
  })

  test('contact methods', async () => {
    const { id } = await ada.contactMethods.create({ type: 'ntfy', config: { url: 'https://127.0.0.1:1/', topic: 'ada' } })
    expect(await ada.contactMethods.test(id)).toMatchObject({ delivered: false, status_code: null })
    expect((await ada.contactMethods.list()).contact_methods).toMatchObject([{ id, last_error: { attempts: 1 } }])
    await ada.contactMethods.remove(id)
    expect((await ada.contactMethods.list()).total).toBe(0)
  })

  test('escalation policies', async () => {
    const { id: ada_id } = await ada.auth.me()
    const made = await ada.escalationPolicies.create(
      { name: 'Shop', steps: [{ user_ids: [ada_id] }] },
      { idempotencyKey: 'a policy' },
    )
    expect((await ada.escalationPolicies.update(made.id, { repeats: 2 })).repeats).toBe(2)
    expect((await ada.escalationPolicies.read(made.id)).steps).toHaveLength(1)
    expect((await ada.escalationPolicies.list()).escalation_policies).toHaveLength(1)
    expect((await ada.escalationPolicies.recipients(made.id)).steps).toMatchObject([{ users: [{ user_id: ada_id }] }])
    await ada.escalationPolicies.remove(made.id)
    expect(await refusal(ada.escalationPolicies.read(made.id))).toMatchObject({ code: 'not_found' })
    await bringBack(ada.escalationPolicies, ada.deletedEscalationPolicies, made.id)
  })

  test('replays', async () => {
    const [from, to] = ['2026-11-01T00:00:00.000Z', '2026-11-02T00:00:00.000Z']
    expect((await ada.replays.create({ from, to, sets: [{}] })).sets).toMatchObject([{ incidents: 0, list: [] }])
  })

  test('identity providers', async () => {
    const body = {
      name: 'Example',
      issuer: 'https://login.example.com',
      client_id: 'a',
      client_secret: 'b',
      email_domains: ['example.org'],
    }
    const made = await ada.identityProviders.create(body, { idempotencyKey: 'a provider' })
    expect((await ada.identityProviders.update(made.id, { creates_accounts: true })).creates_accounts).toBe(true)
    expect((await ada.identityProviders.read(made.id)).issuer).toBe('https://login.example.com')
    expect((await ada.identityProviders.list()).identity_providers).toHaveLength(1)
    backend.txtRecords.set('_vedette-domain.example.org', [made.domain_token])
    await backend.jobs.checkProviderDomains()
    const { identity_providers: choices } = await ada.identityProviders.find({ email: 'lin@example.org' })
    expect(choices).toEqual([{ id: made.id, name: 'Example', organization: expect.any(String), host: 'login.example.com' }])
    await ada.identityProviders.remove(made.id)
    expect(await refusal(ada.identityProviders.read(made.id))).toMatchObject({ code: 'not_found' })
    await bringBack(ada.identityProviders, ada.deletedIdentityProviders, made.id)
  })

  test('schedules', async () => {
    const made = await ada.schedules.create({ name: 'Shop' }, { idempotencyKey: 'a schedule' })
    expect((await ada.schedules.update(made.id, { time_zone: 'Europe/Berlin' })).time_zone).toBe('Europe/Berlin')
    expect((await ada.schedules.read(made.id)).layers).toEqual([])
    expect((await ada.schedules.list()).schedules).toHaveLength(1)
    expect(await ada.schedules.onCall(made.id)).toMatchObject({ current: [], next: [] })
    const { gaps } = await ada.schedules.shifts(made.id)
    expect(gaps).toHaveLength(1)
    expect(await ada.shifts.list()).toMatchObject({ schedules: [{ schedule_id: made.id, gaps: [{}] }], total: 1 })
    expect(await ada.schedules.replaceCalendar(made.id)).toMatchObject({ schedule_id: made.id })
    await ada.schedules.removeCalendar(made.id)
    await ada.schedules.remove(made.id)
    expect(await refusal(ada.schedules.read(made.id))).toMatchObject({ code: 'not_found' })
    await bringBack(ada.schedules, ada.deletedSchedules, made.id)
  })

  test('exports', async () => {
    const url = 'https://metrics.example.com/api/v1/write'
    const body = { name: 'Store', kind: 'remote_write', url, headers: { Authorization: 'Bearer abc' } } as const
    const made = await ada.exports.create(body, { idempotencyKey: 'an export' })
    expect((await ada.exports.read(made.id)).headers).toEqual({ Authorization: '•••' })
    expect((await ada.exports.update(made.id, { enabled: false })).enabled).toBe(false)
    expect((await ada.exports.list()).exports).toHaveLength(1)
    await ada.exports.remove(made.id)
    expect(await refusal(ada.exports.read(made.id))).toMatchObject({ code: 'not_found' })
  })

  test('alert sources', async () => {
    const made = await ada.alertSources.create({ name: 'Prometheus', type: 'alertmanager' }, { idempotencyKey: 'a source' })
    expect((await ada.alertSources.read(made.id)).received_count).toBe(0)
    expect((await ada.alertSources.update(made.id, { muted: true })).muted).toBe(true)
    expect((await ada.alertSources.list()).alert_sources).toHaveLength(1)
    expect((await ada.alertSources.rotateToken(made.id)).token).not.toBe(made.token)
    const { token = '' } = await ada.alertSources.rotateToken(made.id)
    expect((await ada.alerts.take(token, { alerts: [] })).taken).toBe(0)
    expect((await ada.alertSources.samples(made.id)).samples).toHaveLength(1)
    const hoursAgo = (hours: number) => new Date(backend.clock.now() - hours * 3_600_000).toISOString()
    const alerts = [{ id: 'a1', key: 'db-1', title: 'Disk is full', opened_at: hoursAgo(2), resolved_at: hoursAgo(1) }]
    expect(await ada.alertSources.addHistory(made.id, { alerts })).toEqual({ added: 1, present: 0 })
    expect((await ada.alertSources.confirm(made.id)).confirm).toBeNull()
    expect((await ada.alertSources.test(made.id)).incident_id).toMatch(/^inc_/)
    await ada.alertSources.remove(made.id)
    expect(await refusal(ada.alertSources.read(made.id))).toMatchObject({ code: 'not_found' })
    await bringBack(ada.alertSources, ada.deletedAlertSources, made.id)
  })

  test('SLOs', async () => {
    const made = await ada.slos.create({ name: 'Shop', target: { tag: 'prod' }, objective: 99.9 }, { idempotencyKey: 'an SLO' })
    expect((await ada.slos.read(made.id)).status.total).toBe(0)
    expect((await ada.slos.update(made.id, { window: '90d' })).window).toBe('90d')
    expect((await ada.slos.list()).slos).toHaveLength(1)
    await ada.slos.remove(made.id)
    expect(await refusal(ada.slos.read(made.id))).toMatchObject({ code: 'not_found' })
    await bringBack(ada.slos, ada.deletedSlos, made.id)
  })

  test('reports', async () => {
    const report = await ada.reports.uptime({ objective: 99.9, format: 'json' })
    expect(await ada.reports.uptime({ format: 'csv' })).toMatch(/^monitor_id,monitor,.*\r\n/)
    expect(await ada.reports.uptime({ format: 'html' })).toMatch(/^<!doctype html>.*Uptime report/)
    expect(await refusal(ada.reports.uptime({ format: 'csv', tag: '' }))).toMatchObject({ code: 'validation_error' })
    expect(report.summary.objective?.percent).toBe(99.9)
  })

  test('the security log', async () => {
    const { security_events: events } = await ada.securityEvents.list({ type: 'session.ended', limit: 1 })
    expect(events).toMatchObject([{ id: expect.stringMatching(/^sec_/), type: 'session.ended' }])
  })

  test('lists are read whole, page by page', async () => {
    const { total } = await ada.auditEvents.list({ limit: 1 })
    const ids: string[] = []
    for await (const { id } of ada.auditEvents.all({ limit: 3 })) ids.push(id)
    expect(total).toBeGreaterThan(6)
    expect([ids.length, new Set(ids).size]).toEqual([total, total])
    expect(ada.rateLimit).toMatchObject({ limit: expect.any(Number), resetAt: expect.any(Date) })
  })

  test('every method has been called', () => {
    const routes = Object.values(ROUTES).flatMap((noun) => Object.values(noun as Record<string, Route>))
    const isMade = ({ method, path }: Route) => {
      const pattern = new RegExp(`^${method} ${path.replaceAll(/:\w+/g, '[^/]+')}$`)
      return made.some((one) => pattern.test(one))
    }
    expect(routes.filter((route) => !isMade(route)).map(({ method, path }) => `${method} ${path}`)).toEqual([])
  })
})
