import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createUser, hashPassword } from '../../src/access/auth/index.ts'
import type { RouteAccess } from '../../src/access/auth/index.ts'
import { type Caller, expectedDecision } from '../access/table.ts'
import { casesOf } from '../deal.ts'
import {
  type Credentials,
  PASSWORD,
  registration,
  startTestBackend,
  type TestBackend,
  type TestOrganization,
} from '../harness.ts'

/**
 * The rows of the contract, written out by hand: the generated matrix holds the routes to the table of the code, this holds
 * the table and the routes to what was promised.
 */
type Who = 'owner' | 'admin' | 'member' | 'viewer' | `scope ${'read' | 'write' | 'admin' | 'agent'}` | 'server'
const EVERYBODY = ['owner', 'admin', 'member', 'viewer'] as const
const MANAGERS = ['owner', 'admin', 'scope admin'] as const

const UNKNOWN = '01h455vb4pex5vsknk084sn02q'
/** A body that no route takes: who is let in gets a 400. */
const WRONG = { wrong: 1 }

let backend: TestBackend
let own: TestOrganization
let callers: Map<Who, Credentials>
beforeAll(async () => {
  backend = await startTestBackend()
  own = await backend.organization()
  callers = new Map()
  for (const role of EVERYBODY) callers.set(role, await backend.member(own, role))
  for (const scope of ['read', 'write', 'admin', 'agent'] as const)
    callers.set(`scope ${scope}`, await backend.apiKey(own, scope))
  callers.set('server', (await backend.server(own)).as)
})
afterAll(() => backend.close())

type Route = [method: string, path: string, body?: unknown]

/** What the code's table says of a caller, without a request. */
const WHO: Readonly<Record<Who, Omit<Caller, 'as' | 'name'>>> = {
  owner: { kind: 'user', role: 'owner' },
  admin: { kind: 'user', role: 'admin' },
  member: { kind: 'user', role: 'member' },
  viewer: { kind: 'user', role: 'viewer' },
  'scope read': { kind: 'api_key', scope: 'read' },
  'scope write': { kind: 'api_key', scope: 'write' },
  'scope admin': { kind: 'api_key', scope: 'admin' },
  'scope agent': { kind: 'api_key', scope: 'agent' },
  server: { kind: 'server' },
}

function accessOf(method: string, path: string): RouteAccess {
  const fits = ({ method: its, url }: RouteAccess, pattern: string) =>
    its === method && new RegExp(`^${url.replaceAll(/:\w+/g, pattern)}$`).test(path)
  const { routes } = backend.vedette
  const route = routes.find((one) => fits(one, ':')) ?? routes.find((one) => fits(one, '(?:ORG|[a-z]{3}_[^/]+)'))
  if (!route) throw new Error(`${method} ${path} is no route`)
  return route
}

/**
 * Who is let in or answered otherwise than promised: past the gate of each route gets who may, everybody else a 403, nobody at all a
 * 401. The table of the code is compared whole, requests are dealt out.
 */
async function deviations(routes: Route[], may: readonly Who[]): Promise<string[]> {
  const cases = routes.flatMap((route) => [...callers.keys()].map((who) => ({ route, who, isIn: may.includes(who) })))
  const wrong = cases
    .filter(({ route: [method, path], who, isIn }) => {
      const decision = expectedDecision(accessOf(method, path), { ...WHO[who], name: who, as: {} })
      return (decision === 'in') !== isIn
    })
    .map(({ route: [method, path], who }) => `${method} ${path}: the table differs for ${who}`)
  const statusFor = async ([method, path, body]: Route, as: Credentials) =>
    (await backend.call(method, path.replace('ORG', own.id), { as, body })).status
  const dealt = casesOf(cases, {
    row: ({ route: [method, path] }) => `${method} ${path}`,
    kind: ({ who }) => who,
    outcome: ({ isIn }) => String(isIn),
  })
  for (const { route, who, isIn } of dealt) {
    const status = await statusFor(route, callers.get(who) ?? {})
    const isRight = isIn ? [200, 400, 404].includes(status) : status === 403
    if (!isRight) wrong.push(`${route[0]} ${route[1]}: ${status} for ${who}`)
  }
  for (const route of routes) {
    const status = await statusFor(route, {})
    if (status !== 401) wrong.push(`${route[0]} ${route[1]}: ${status} for nobody`)
  }
  return wrong
}

const READ: Route[] = [
  ['GET', '/v1/prometheus/hosts'],
  ['GET', '/v1/prometheus/monitors'],
  ['GET', '/v1/reports/uptime'],
  ['GET', '/v1/servers'],
  ['GET', `/v1/servers/srv_${UNKNOWN}`],
  ['GET', `/v1/servers/srv_${UNKNOWN}/metrics`],
  ['GET', `/v1/servers/srv_${UNKNOWN}/processes`],
  ['GET', `/v1/servers/srv_${UNKNOWN}/forecast`],
  ['GET', '/v1/entities'],
  ['GET', `/v1/servers/srv_${UNKNOWN}/entities`],
  ['GET', `/v1/servers/srv_${UNKNOWN}/entities/ent_${UNKNOWN}`],
  ['GET', `/v1/servers/srv_${UNKNOWN}/entities/ent_${UNKNOWN}/metrics`],
  ['GET', '/v1/alert-rules'],
  ['GET', `/v1/alert-rules/alr_${UNKNOWN}`],
  ['GET', '/v1/escalation-policies'],
  ['GET', `/v1/escalation-policies/esp_${UNKNOWN}`],
  ['GET', `/v1/escalation-policies/esp_${UNKNOWN}/recipients`],
  ['GET', '/v1/schedules'],
  ['GET', `/v1/schedules/sch_${UNKNOWN}`],
  ['GET', `/v1/schedules/sch_${UNKNOWN}/on-call`],
  ['GET', `/v1/schedules/sch_${UNKNOWN}/shifts`],
  ['GET', '/v1/annotations'],
  ['GET', '/v1/certificates'],
  ['GET', `/v1/certificates/crt_${UNKNOWN}`],
  ['GET', `/v1/monitors/mon_${UNKNOWN}/reclassifications`],
  ['GET', '/v1/change-sets'],
  ['GET', `/v1/change-sets/chg_${UNKNOWN}`],
  ['POST', '/v1/change-sets', WRONG],
  ['POST', `/v1/change-sets/chg_${UNKNOWN}/apply`],
  ['POST', `/v1/change-sets/chg_${UNKNOWN}/undo`, WRONG],
  ['GET', '/v1/drift'],
  ['GET', '/v1/configuration'],
  ['POST', '/v1/configuration/compare', WRONG],
  ['GET', '/v1/slos'],
  ['GET', `/v1/slos/slo_${UNKNOWN}`],
  ['GET', '/v1/maintenance-windows'],
  ['GET', `/v1/maintenance-windows/mnt_${UNKNOWN}`],
  ['GET', '/v1/status-pages'],
  ['GET', `/v1/status-pages/spg_${UNKNOWN}`],
  ['GET', `/v1/status-pages/spg_${UNKNOWN}/preview`],
  ['POST', '/v1/status-pages/preview', WRONG],
  ['GET', `/v1/status-pages/spg_${UNKNOWN}/posts`],
  ['GET', `/v1/status-pages/spg_${UNKNOWN}/posts/draft`],
  ['GET', `/v1/status-pages/spg_${UNKNOWN}/subscribers`],
  ['GET', `/v1/status-pages/spg_${UNKNOWN}/posts/pst_${UNKNOWN}`],
  ['GET', '/v1/incidents'],
  ['GET', '/v1/overview'],
  ['GET', '/v1/overview/states'],
  ['GET', `/v1/incidents/inc_${UNKNOWN}`],
  ['GET', `/v1/incidents/inc_${UNKNOWN}/story`],
  ['GET', '/v1/channels'],
  ['GET', '/v1/events'],
  ['GET', `/v1/channels/chn_${UNKNOWN}`],
  ['GET', '/v1/alert-rules/deleted'],
  ['GET', '/v1/escalation-policies/deleted'],
  ['GET', '/v1/schedules/deleted'],
  ['GET', '/v1/slos/deleted'],
  ['GET', '/v1/maintenance-windows/deleted'],
  ['GET', '/v1/status-pages/deleted'],
  ['GET', '/v1/channels/deleted'],
]
const RULES: Route[] = [
  ['POST', '/v1/alert-rules', WRONG],
  ['POST', '/v1/alert-rules/defaults'],
  ['POST', '/v1/alert-rules/preview', WRONG],
  ['POST', '/v1/replays', WRONG],
  ['PATCH', `/v1/alert-rules/alr_${UNKNOWN}`, WRONG],
  ['DELETE', `/v1/alert-rules/alr_${UNKNOWN}`],
  ['POST', `/v1/alert-rules/alr_${UNKNOWN}/restore`],
  ['POST', '/v1/escalation-policies', WRONG],
  ['PATCH', `/v1/escalation-policies/esp_${UNKNOWN}`, WRONG],
  ['DELETE', `/v1/escalation-policies/esp_${UNKNOWN}`],
  ['POST', `/v1/escalation-policies/esp_${UNKNOWN}/restore`],
  ['POST', '/v1/schedules', WRONG],
  ['PATCH', `/v1/schedules/sch_${UNKNOWN}`, WRONG],
  ['DELETE', `/v1/schedules/sch_${UNKNOWN}`],
  ['POST', `/v1/schedules/sch_${UNKNOWN}/restore`],
  ['POST', `/v1/schedules/sch_${UNKNOWN}/calendar`],
  ['DELETE', `/v1/schedules/sch_${UNKNOWN}/calendar`],
  ['POST', '/v1/annotations', WRONG],
  ['POST', '/v1/certificates', WRONG],
  ['PATCH', `/v1/certificates/crt_${UNKNOWN}`, WRONG],
  ['DELETE', `/v1/certificates/crt_${UNKNOWN}`],
  ['POST', `/v1/monitors/mon_${UNKNOWN}/reclassifications`, WRONG],
  ['DELETE', `/v1/monitors/mon_${UNKNOWN}/reclassifications/rcl_${UNKNOWN}`],
  ['POST', '/v1/slos', WRONG],
  ['PATCH', `/v1/slos/slo_${UNKNOWN}`, WRONG],
  ['DELETE', `/v1/slos/slo_${UNKNOWN}`],
  ['POST', `/v1/slos/slo_${UNKNOWN}/restore`],
  ['POST', '/v1/maintenance-windows', WRONG],
  ['PATCH', `/v1/maintenance-windows/mnt_${UNKNOWN}`, WRONG],
  ['DELETE', `/v1/maintenance-windows/mnt_${UNKNOWN}`],
  ['POST', `/v1/maintenance-windows/mnt_${UNKNOWN}/restore`],
  ['POST', '/v1/status-pages', WRONG],
  ['PATCH', `/v1/status-pages/spg_${UNKNOWN}`, WRONG],
  ['DELETE', `/v1/status-pages/spg_${UNKNOWN}`],
  ['POST', `/v1/status-pages/spg_${UNKNOWN}/restore`],
  ['POST', `/v1/status-pages/spg_${UNKNOWN}/posts`, WRONG],
  ['POST', `/v1/status-pages/spg_${UNKNOWN}/subscribers`, WRONG],
  ['DELETE', `/v1/status-pages/spg_${UNKNOWN}/subscribers/sub_${UNKNOWN}`],
  ['PATCH', `/v1/status-pages/spg_${UNKNOWN}/posts/pst_${UNKNOWN}`, WRONG],
  ['DELETE', `/v1/status-pages/spg_${UNKNOWN}/posts/pst_${UNKNOWN}`],
  ['POST', `/v1/status-pages/spg_${UNKNOWN}/posts/pst_${UNKNOWN}/updates`, WRONG],
  ['PATCH', `/v1/status-pages/spg_${UNKNOWN}/posts/pst_${UNKNOWN}/updates/pup_${UNKNOWN}`, WRONG],
  ['POST', `/v1/incidents/inc_${UNKNOWN}/acknowledge`],
  ['POST', `/v1/incidents/inc_${UNKNOWN}/resolve`],
  ['POST', `/v1/incidents/inc_${UNKNOWN}/comments`, WRONG],
]
const ORG_READ: Route[] = [
  ['GET', '/v1/organizations'],
  ['GET', '/v1/organizations/ORG'],
  ['GET', '/v1/organizations/ORG/members'],
]
const SERVERS_ADMIN: Route[] = [
  ['PATCH', `/v1/servers/srv_${UNKNOWN}`, WRONG],
  ['POST', `/v1/servers/srv_${UNKNOWN}/regenerate-token`],
]
const INVITE: Route[] = [
  ['POST', '/v1/organizations/ORG/members/invite', WRONG],
  ['GET', '/v1/organizations/ORG/invitations'],
  ['DELETE', `/v1/organizations/ORG/invitations/inv_${UNKNOWN}`],
]
const INTEGRATIONS: Route[] = [
  ['GET', '/v1/alert-sources'],
  ['POST', '/v1/alert-sources', WRONG],
  ['GET', '/v1/alert-sources/deleted'],
  ['GET', `/v1/alert-sources/als_${UNKNOWN}`],
  ['PATCH', `/v1/alert-sources/als_${UNKNOWN}`, WRONG],
  ['DELETE', `/v1/alert-sources/als_${UNKNOWN}`],
  ['POST', `/v1/alert-sources/als_${UNKNOWN}/restore`],
  ['GET', `/v1/alert-sources/als_${UNKNOWN}/samples`],
  ['POST', `/v1/alert-sources/als_${UNKNOWN}/confirm`],
  ['POST', `/v1/alert-sources/als_${UNKNOWN}/rotate-token`],
  ['POST', `/v1/alert-sources/als_${UNKNOWN}/test`],
  ['GET', '/v1/exports'],
  ['POST', '/v1/exports', WRONG],
  ['GET', `/v1/exports/exp_${UNKNOWN}`],
  ['PATCH', `/v1/exports/exp_${UNKNOWN}`, WRONG],
  ['DELETE', `/v1/exports/exp_${UNKNOWN}`],
  ['GET', '/v1/api-keys'],
  ['POST', '/v1/api-keys', WRONG],
  ['DELETE', `/v1/api-keys/key_${UNKNOWN}`],
  ['POST', '/v1/channels', WRONG],
  ['PATCH', `/v1/channels/chn_${UNKNOWN}`, WRONG],
  ['DELETE', `/v1/channels/chn_${UNKNOWN}`],
  ['POST', `/v1/channels/chn_${UNKNOWN}/restore`],
  ['POST', `/v1/channels/chn_${UNKNOWN}/test`],
  ['POST', '/v1/channels/test', WRONG],
  ['POST', '/v1/channels/preview', WRONG],
]
const IDENTITY_PROVIDERS: Route[] = [
  ['GET', '/v1/identity-providers'],
  ['POST', '/v1/identity-providers', WRONG],
  ['GET', `/v1/identity-providers/idp_${UNKNOWN}`],
  ['PATCH', `/v1/identity-providers/idp_${UNKNOWN}`, WRONG],
  ['DELETE', `/v1/identity-providers/idp_${UNKNOWN}`],
  ['GET', '/v1/identity-providers/deleted'],
  ['POST', `/v1/identity-providers/idp_${UNKNOWN}/restore`],
]
const SUBMIT: Route[] = [
  ['POST', '/v1/agent/register', {}],
  ['POST', '/v1/agent/metrics', {}],
]

describe('past the gate get', () => {
  it('readers of servers: every role, the scopes read and admin [ACCESS-08, ACCESS-27, ERROR-08]', async () =>
    expect(await deviations(READ, [...EVERYBODY, 'scope read', 'scope admin'])).toEqual([]))

  it('who makes and changes alert rules and windows, and answers to incidents: owner, admin, member, the scopes write and admin [ACCESS-28]', async () =>
    expect(await deviations(RULES, ['owner', 'admin', 'member', 'scope write', 'scope admin'])).toEqual([]))

  it('readers of organization and members: every role, the scope admin [ACCESS-09]', async () =>
    expect(await deviations(ORG_READ, [...EVERYBODY, 'scope admin'])).toEqual([]))

  it('who deletes servers: owner, admin, the scope admin [ACCESS-10]', async () =>
    expect(await deviations([['DELETE', `/v1/servers/srv_${UNKNOWN}`]], MANAGERS)).toEqual([]))

  it('who runs servers: owner, admin, the scope admin [ACCESS-11]', async () =>
    expect(await deviations(SERVERS_ADMIN, MANAGERS)).toEqual([]))

  it('who invites: owner, admin, the scope admin [ACCESS-12]', async () => expect(await deviations(INVITE, MANAGERS)).toEqual([]))

  it('who removes members: owner, admin, the scope admin [ACCESS-13]', async () =>
    expect(await deviations([['DELETE', `/v1/organizations/ORG/members/usr_${UNKNOWN}`]], MANAGERS)).toEqual([]))

  it('who changes members: owner, admin, the scope admin [ACCESS-14]', async () =>
    expect(await deviations([['PATCH', `/v1/organizations/ORG/members/usr_${UNKNOWN}`, WRONG]], MANAGERS)).toEqual([]))

  it('who manages integrations: owner, admin, the scope admin [ACCESS-15, ACCESS-29]', async () =>
    expect(await deviations(INTEGRATIONS, MANAGERS)).toEqual([]))

  it('who renames the organization: the owner, the scope admin [ACCESS-16]', async () =>
    expect(await deviations([['PATCH', '/v1/organizations/ORG', WRONG]], ['owner', 'scope admin'])).toEqual([]))

  it('who manages identity providers: the owner, the scope admin', async () =>
    expect(await deviations(IDENTITY_PROVIDERS, ['owner', 'scope admin'])).toEqual([]))

  it('who deletes the organization: the owner alone [ACCESS-17]', async () =>
    expect(await deviations([['DELETE', '/v1/organizations/ORG', WRONG]], ['owner'])).toEqual([]))

  it('who reads the audit log: owner, admin, the scope admin [AUDIT-01]', async () =>
    expect(await deviations([['GET', '/v1/audit-events']], MANAGERS)).toEqual([]))

  it('who registers and submits: the scopes agent and admin, no role; a server submits for itself [ACCESS-18, ACCESS-22, ACCESS-23]', async () => {
    expect(await deviations(SUBMIT.slice(0, 1), ['scope agent', 'scope admin'])).toEqual([])
    expect(await deviations(SUBMIT.slice(1), ['scope agent', 'scope admin', 'server'])).toEqual([])
  })
})

it('nothing but these is open [AUTH-05]', () => {
  const open = backend.vedette.routes.filter(({ access, method }) => access === 'open' && method !== 'HEAD')
  expect(open.map(({ method, url }) => `${method} ${url}`).sort()).toEqual([
    'DELETE /v1/in/alertmanager/:token/api/v2/silence/:id',
    'GET /healthz',
    'GET /readyz',
    'GET /v1/auth/oidc/:provider/callback',
    'GET /v1/auth/oidc/:provider/logout',
    'GET /v1/auth/oidc/:provider/start',
    'GET /v1/in/alertmanager/:token/api/v2/alerts',
    'GET /v1/in/alertmanager/:token/api/v2/alerts/groups',
    'GET /v1/in/alertmanager/:token/api/v2/receivers',
    'GET /v1/in/alertmanager/:token/api/v2/silence/:id',
    'GET /v1/in/alertmanager/:token/api/v2/silences',
    'GET /v1/in/alertmanager/:token/api/v2/status',
    'GET /v1/in/opsgenie/:token/v2/alerts/requests/:identifier',
    'GET /v1/in/opsgenie/:token/v2/heartbeats/:identifier/ping',
    'GET /v1/setup',
    'POST /v1/auth/email/verify',
    'POST /v1/auth/invitations/accept',
    'POST /v1/auth/invitations/read',
    'POST /v1/auth/login',
    'POST /v1/auth/oidc/:provider/back-channel-logout',
    'POST /v1/auth/oidc/providers',
    'POST /v1/auth/passkeys/sign-in',
    'POST /v1/auth/passkeys/sign-in-options',
    'POST /v1/auth/password-reset',
    'POST /v1/auth/password-reset/confirm',
    'POST /v1/auth/refresh',
    'POST /v1/in',
    'POST /v1/in/:token',
    'POST /v1/in/alertmanager/:token/api/v2/alerts',
    'POST /v1/in/alertmanager/:token/api/v2/silences',
    'POST /v1/in/opsgenie/:token/v2/alerts',
    'POST /v1/in/opsgenie/:token/v2/alerts/:identifier/acknowledge',
    'POST /v1/in/opsgenie/:token/v2/alerts/:identifier/close',
    'POST /v1/in/opsgenie/:token/v2/alerts/:identifier/notes',
    'POST /v1/in/opsgenie/:token/v2/alerts/:identifier/unacknowledge',
    'POST /v1/in/opsgenie/:token/v2/heartbeats/:identifier/ping',
    'POST /v1/in/pagerduty/:token/v2/change/enqueue',
    'POST /v1/in/pagerduty/:token/v2/enqueue',
    'POST /v1/setup',
  ])
})

it('the scopes of a key add up, and are no more than that [ACCESS-21]', async () => {
  const as = await backend.apiKey(own, 'read', 'agent')
  const status = async (method: string, url: string, body?: unknown) => (await backend.call(method, url, { as, body })).status
  expect(await status('GET', '/v1/servers')).toBe(200)
  expect(await status('POST', '/v1/agent/register', registration('adding up'))).toBe(201)
  expect(await status('GET', '/v1/api-keys')).toBe(403)
})

it('a key and a server token act in their own organization, and are refused in any other [ACCESS-03, ACCESS-30]', async () => {
  const [one, other] = [await backend.organization('One'), await backend.organization('Other')]
  const [mine, theirs] = [await backend.server(one), await backend.server(other)]
  const key = await backend.apiKey(one, 'read', 'agent')
  const list = (headers = {}) => backend.call('GET', '/v1/servers', { as: key, headers })
  for (const headers of [{}, { 'x-organization-id': one.id }])
    expect((await list(headers)).body.servers.map(({ id }: { id: string }) => id)).toEqual([mine.id])
  const putFacts = async (organizationId: string) => {
    const headers = { 'x-organization-id': organizationId }
    return (await backend.call('PUT', '/v1/agent/facts', { as: mine.as, body: { kernel: 'mine' }, headers })).status
  }
  for (const wrong of [other.id, one.id.toUpperCase(), 'org_01h455vb4pex5vsknk084sn02q', 'nonsense', '']) {
    const { status, body } = await list({ 'x-organization-id': wrong })
    expect([wrong, status, body.error.code, await putFacts(wrong)]).toEqual([wrong, 403, 'forbidden', 403])
  }
  expect(await putFacts(one.id)).toBe(204)
  const { body } = await backend.call('GET', `/v1/servers/${theirs.id}`, { as: await backend.member(other, 'viewer') })
  expect(body.kernel).toBe('6.1.0')
})

it('a user without an organization lists none, makes one, and is refused everything else [ACCESS-24]', async () => {
  const { db } = backend.pool
  await createUser(db, backend.clock, 'lonely@example.com', await hashPassword(PASSWORD))
  const login = await backend.call('POST', '/v1/auth/login', { body: { email: 'lonely@example.com', password: PASSWORD } })
  const as = { authorization: `Bearer ${login.body.token}` }
  const call = (method: string, path: string, body?: unknown) => backend.call(method, path.replace('ORG', own.id), { as, body })
  expect((await call('GET', '/v1/organizations')).body).toMatchObject({ organizations: [], total: 0 })
  const others = [...READ, ...ORG_READ.slice(1), ...SERVERS_ADMIN, ...INVITE, ...INTEGRATIONS, ...SUBMIT]
  for (const [method, path, body] of others) expect([path, (await call(method, path, body)).status]).toEqual([path, 403])
  expect((await call('POST', '/v1/organizations', { name: 'Now' })).status).toBe(201)
})

it('an owner or admin key of another organization cannot list, read, change or count anything [ACCESS-25, ERROR-10]', async () => {
  const theirs = await backend.organization('Theirs')
  const boss = await backend.member(theirs, 'owner')
  const server = await backend.server(theirs)
  const key = await backend.call('POST', '/v1/api-keys', { as: boss, body: { name: 'k', scopes: ['read'] } })
  const before = await backend.call('GET', `/v1/servers/${server.id}`, { as: boss })
  const mine = await backend.organization('Mine')
  const foreigners = [await backend.member(mine, 'owner'), await backend.apiKey(mine, 'admin', 'read', 'write', 'agent')]
  const requests: Route[] = [
    ['GET', `/v1/servers/${server.id}`],
    ['GET', `/v1/servers/${server.id}/metrics`],
    ['PATCH', `/v1/servers/${server.id}`, { display_name: 'mine now' }],
    ['POST', `/v1/servers/${server.id}/regenerate-token`],
    ['DELETE', `/v1/servers/${server.id}`],
    ['DELETE', `/v1/api-keys/${key.body.id}`],
    ['GET', `/v1/organizations/${theirs.id}`],
    ['GET', `/v1/organizations/${theirs.id}/members`],
    ['PATCH', `/v1/organizations/${theirs.id}`, { name: 'Mine' }],
  ]
  for (const as of foreigners) {
    for (const [method, url, body] of requests)
      expect([method, url, (await backend.call(method, url, { as, body })).status]).toEqual([method, url, 404])
    expect((await backend.call('GET', '/v1/servers', { as })).body).toMatchObject({ servers: [], total: 0 })
    const keys = (await backend.call('GET', '/v1/api-keys', { as })).body.api_keys.map(({ id }: { id: string }) => id)
    expect(keys).not.toContain(key.body.id)
  }
  expect((await backend.call('GET', `/v1/servers/${server.id}`, { as: boss })).body).toEqual(before.body)
  expect((await backend.call('GET', '/v1/servers', { as: { 'x-api-key': key.body.key } })).body.total).toBe(1)
})
