import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { encodeId, newId } from '../src/platform/ids.ts'
import type { MinimalBody } from './fuzz/minimal-body.ts'
import type { PublishedRoute } from './fuzz/published-routes.ts'
import type { Credentials, TestBackend, TestOrganization } from './harness.ts'
import { openTestIncident } from './incident.ts'

/** An id in a path: of `/v1/organizations/:id/members/:memberId` the second is a member, in the list of members. */
export interface Position {
  /** `memberId` */
  parameter: string
  /** `members` */
  noun: string
  /** `/v1/organizations/:id/members` */
  list: string
}

/** The ids of one path by parameter. */
export type Ids = Readonly<Record<string, string>>

export interface Owner extends Credentials {
  authorization: string
  userId: string
}

/** Makes what ids in paths stand for. */
export interface PathResources {
  /** New things for every id of this path, each within its predecessor. Sessions are those of `user`. */
  chain(path: string, organization: TestOrganization, user?: Credentials): Promise<Record<string, string>>
  /** Whether the last thing of a path can be removed. */
  isRemovable(path: string): boolean
  /** Removes the last thing of a path; false where such things stay. The others are there still. */
  remove(path: string, ids: Ids, organization: TestOrganization, user?: Credentials): Promise<boolean>
  owner(organization: TestOrganization): Promise<Owner>
}

export function positionsOf(path: string): Position[] {
  const segments = path.replaceAll(/\{(\w+)\}/g, ':$1').split('/')
  return segments.flatMap((segment, index) =>
    segment.startsWith(':')
      ? [{ parameter: segment.slice(1), noun: segments[index - 1] as string, list: segments.slice(0, index).join('/') }]
      : [],
  )
}

/** The path with its ids; what has none becomes a word that is no id. */
export const pathWith = (path: string, ids: Ids): string =>
  path.replaceAll(/:(\w+)|\{(\w+)\}/g, (_, one?: string, other?: string) => ids[one ?? other ?? ''] ?? 'nonsense')

/** Nouns of what belongs to a user, not to an organization. */
export const OF_USERS: ReadonlySet<string> = new Set([
  'sessions',
  'passkeys',
  'push-subscriptions',
  'contact-methods',
  'chat-accounts',
])

interface CreationContext {
  organization: TestOrganization
  above: Ids
  owner: Owner
  user: Credentials
}

export function createPathResources(
  backend: TestBackend,
  routes: readonly PublishedRoute[],
  leastBody: MinimalBody,
): PathResources {
  const owner = (organization: TestOrganization) => backend.member(organization, 'owner')
  /** By number of the organization: who makes and removes things that are no user's. */
  const bosses = new Map<number, Promise<Owner>>()
  function bossOf(organization: TestOrganization): Promise<Owner> {
    const boss = bosses.get(organization.number) ?? owner(organization)
    bosses.set(organization.number, boss)
    return boss
  }
  const routeOf = (method: string, path: string) =>
    routes.find((route) => route.method === method && route.path.replaceAll(/\{(\w+)\}/g, ':$1') === path)

  /** Kinds that no POST to their list makes. */
  const makers: Record<string, (context: CreationContext) => Promise<string>> = {
    organizations: async ({ organization }) => organization.id,
    members: async ({ organization }) => encodeId('user', (await backend.member(organization, 'viewer')).userId),
    users: async ({ organization }) => encodeId('user', (await backend.member(organization, 'viewer')).userId),
    invitations: async ({ organization, owner: as }) => {
      const body = { email: `guest${(guests += 1)}@example.com`, role: 'viewer' }
      return (await backend.call('POST', `/v1/organizations/${organization.id}/members/invite`, { as, body })).body.id
    },
    // A URL is required for all types but heartbeats, which no schema says.
    monitors: async ({ owner: as }) => {
      const body = { name: 'monitor', url: 'http://192.0.2.1/' }
      return (await backend.call('POST', '/v1/monitors', { as, body })).body.id
    },
    servers: async ({ organization }) => (await backend.server(organization)).id,
    'alert-rules': async ({ owner: as }) => {
      const condition = { metric: 'status', operator: 'equals', value: 'down' }
      const body = { name: 'rule', target: { type: 'monitor' }, condition }
      return (await backend.call('POST', '/v1/alert-rules', { as, body })).body.id
    },
    channels: async ({ owner: as }) => {
      const body = { name: 'channel', type: 'webhook', config: { url: 'http://192.0.2.1/' } }
      return (await backend.call('POST', '/v1/channels', { as, body })).body.id
    },
    'maintenance-windows': async ({ owner: as }) => {
      const times = { starts_at: '2026-11-22T01:00:00.000Z', ends_at: '2026-11-22T03:00:00.000Z' }
      const body = { name: 'window', target: { type: 'monitor' }, ...times }
      return (await backend.call('POST', '/v1/maintenance-windows', { as, body })).body.id
    },
    'status-pages': async ({ owner: as }) => {
      const body = { name: 'page', slug: `page-${newId()}`, title: 'page' }
      return (await backend.call('POST', '/v1/status-pages', { as, body })).body.id
    },
    posts: async ({ owner: as, above }) => {
      const body = { type: 'incident', title: 'post', text: 'text' }
      return (await backend.call('POST', `/v1/status-pages/${above['id']}/posts`, { as, body })).body.id
    },
    'escalation-policies': async ({ owner: as }) => {
      const body = { name: 'policy', steps: [{ user_ids: [encodeId('user', as.userId)] }] }
      return (await backend.call('POST', '/v1/escalation-policies', { as, body })).body.id
    },
    // More than an organization may have.
    'identity-providers': async ({ organization }) => {
      const [id, random] = [newId(), randomBytes(32)]
      await sql`
        insert into identity_provider (id, organization, name, kind, issuer, client_id, secret_encrypted, email_domains,
          creates_accounts, default_role, role_mapping, enabled, created_at, updated_at)
        values (${id}, ${organization.number}, 'login', 'oidc', 'https://192.0.2.1', 'a', ${random}, '{example.com}',
          false, 'viewer', '[]', true, now(), now())`.execute(backend.pool.db)
      return encodeId('identityProvider', id)
    },
    // More than an organization may have.
    exports: async ({ organization }) => {
      const [id, random] = [newId(), randomBytes(32)]
      await sql`
        insert into metric_export (organization, id, name, kind, url, headers_encrypted, samples, enabled, created_at, updated_at,
          cursor_received_at, cursor_t0, cursor_digest, cursor_server, cursor_values, samples_sent, samples_dropped, samples_skipped)
        values (${organization.number}, ${id}, 'export', 'otlp', 'http://192.0.2.1/', ${random}, '{hosts}', false, now(), now(),
          0, 0, 0, 0, 0, 0, 0, 0)`.execute(backend.pool.db)
      return encodeId('export', id)
    },
    'alert-sources': async ({ owner: as }) => {
      const body = { name: 'source', type: 'generic' }
      return (await backend.call('POST', '/v1/alert-sources', { as, body })).body.id
    },
    // The token of a source.
    in: async ({ owner: as }) => {
      const body = { name: 'source', type: 'generic' }
      return (await backend.call('POST', '/v1/alert-sources', { as, body })).body.token
    },
    certificates: async ({ owner: as }) => {
      const body = { name: 'certificate', not_after: '2030-01-01T00:00:00.000Z' }
      return (await backend.call('POST', '/v1/certificates', { as, body })).body.id
    },
    slos: async ({ owner: as }) => {
      const body = { name: 'objective', target: { tag: 'prod' }, objective: 99 }
      return (await backend.call('POST', '/v1/slos', { as, body })).body.id
    },
    reclassifications: async ({ owner: as, above }) => {
      // Those of one monitor do not overlap.
      const fromMs = backend.clock.now() - 86_400_000 - Math.floor(Math.random() * 86_400_000 * 20)
      const times = { from: new Date(fromMs).toISOString(), to: new Date(fromMs + 1).toISOString() }
      const body = { ...times, as: 'excluded', comment: 'announced' }
      return (await backend.call('POST', `/v1/monitors/${above['id']}/reclassifications`, { as, body })).body.id
    },
    subscribers: async ({ owner: as, above }) => {
      const body = { type: 'slack', url: 'https://hooks.slack.com/services/T0/B0/x' }
      return (await backend.call('POST', `/v1/status-pages/${above['id']}/subscribers`, { as, body })).body.id
    },
    entities: async ({ organization, owner: as, above }) => {
      const samples = [{ at: new Date(backend.clock.now()).toISOString(), cpu: { percent: 1 } }]
      const batch = { batch_id: randomUUID(), sent_at: samples[0]?.at, agent_version: '1' }
      const name = `container ${newId()}`
      const body = { ...batch, server_id: above['id'], samples, entities: [{ kind: 'container', name, values: { running: 1 } }] }
      await backend.call('POST', '/v1/agent/metrics', { as: await backend.apiKey(organization, 'agent'), body })
      return (await backend.call('GET', `/v1/servers/${above['id']}/entities?q=${name}`, { as })).body.entities[0].id
    },
    incidents: ({ organization }) => openTestIncident(backend, organization),
    // With an end, because an earlier request may have made the organization demand one.
    'api-keys': async ({ owner: as }) => {
      const expiresAt = new Date(backend.clock.now() + 3_600_000).toISOString()
      const body = { name: 'key', scopes: ['read', 'ingest'], expires_at: expiresAt }
      return (await backend.call('POST', '/v1/api-keys', { as, body })).body.id
    },
    // More than a member may add.
    'contact-methods': async ({ organization, user }) => {
      const [id, random] = [newId(), randomBytes(32)]
      await sql`
        insert into channel (organization, id, name, type, enabled, config, secrets_encrypted, created_at, user_id)
        select organization, ${id}, 'ntfy', 'ntfy', true, '{"url": "http://192.0.2.1", "topic": "x"}', ${random}, now(), user_id
        from membership where organization = ${organization.number} and user_id = ${user.userId}`.execute(backend.pool.db)
      return encodeId('channel', id)
    },
    'chat-accounts': async ({ organization, user }) => {
      const [id, random] = [newId(), randomUUID()]
      const own = { organization: organization.number, user_id: user.userId as string, code_hash: null, code_expires_at: null }
      const about = {
        service: 'slack',
        credential: Buffer.alloc(32),
        chat_user: random,
        name: 'ada',
        created_at: new Date(backend.clock.now()),
      } as const
      await backend.pool.db
        .insertInto('chat_account')
        .values({ id, ...own, ...about })
        .execute()
      return encodeId('chatAccount', id)
    },
    passkeys: async ({ user }) => {
      const [id, random] = [newId(), randomBytes(32)]
      const own = { user_id: user.userId as string, name: 'Laptop', created_at: new Date(backend.clock.now()) }
      const credential = { credential_id: random, public_key: random, counter: 0, transports: [], synced: false }
      await backend.pool.db
        .insertInto('passkey')
        .values({ id, ...own, ...credential })
        .execute()
      return encodeId('passkey', id)
    },
    'push-subscriptions': async ({ user }) => {
      const [id, random] = [newId(), randomBytes(32)]
      const own = { user_id: user.userId as string, session_id: null, user_agent: '', created_at: new Date(backend.clock.now()) }
      await backend.pool.db
        .insertInto('push_subscription')
        .values({ id, ...own, endpoint_hash: random, encrypted: random })
        .execute()
      return encodeId('pushSubscription', id)
    },
    sessions: async ({ user }) => encodeId('session', sessionIdOf(user.authorization ?? '')),
  }
  let guests = 0

  async function make({ noun, list }: Position, context: CreationContext): Promise<string> {
    const maker = makers[noun]
    if (maker) return maker(context)
    const route = routeOf('POST', list)
    if (!route) throw new Error(`Define how to create ${noun} in backend/test/path-resources.ts: no POST ${list} creates them.`)
    const { status, body } = await backend.call('POST', pathWith(list, context.above), {
      as: context.owner,
      body: leastBody(route),
    })
    if (typeof body?.id !== 'string') {
      throw new Error(
        `Define how to create ${noun} in backend/test/path-resources.ts: POST ${list} answered ${status} ${JSON.stringify(body)}.`,
      )
    }
    return body.id
  }

  async function chain(path: string, organization: TestOrganization, user?: Credentials): Promise<Record<string, string>> {
    const positions = positionsOf(path)
    const above: Record<string, string> = {}
    if (positions.length === 0) return above
    const isOfUser = positions.some(({ noun }) => OF_USERS.has(noun))
    const boss = await (isOfUser ? owner(organization) : bossOf(organization))
    for (const position of positions) {
      above[position.parameter] = await make(position, { organization, above, owner: boss, user: user ?? boss })
    }
    return above
  }

  function removalOf(path: string): { route: PublishedRoute; noun: string; own: string } | undefined {
    const last = positionsOf(path).at(-1)
    // What was revoked stays in the list, and may be revoked again.
    if (!last || ['api-keys', 'enrollment-tokens'].includes(last.noun)) return undefined
    const own = `${last.list}/:${last.parameter}`
    const route = routeOf('DELETE', own)
    return route && { route, noun: last.noun, own }
  }

  async function remove(path: string, ids: Ids, organization: TestOrganization, user?: Credentials): Promise<boolean> {
    const removal = removalOf(path)
    if (!removal) return false
    const { route, noun, own } = removal
    const body = noun === 'organizations' ? { name: organization.name } : leastBody(route)
    const { status } = await backend.call('DELETE', pathWith(own, ids), { as: user ?? (await bossOf(organization)), body })
    if (status !== 204) throw new Error(`DELETE ${own} answered ${status}`)
    return true
  }

  return { chain, isRemovable: (path) => removalOf(path) !== undefined, remove, owner }
}

/** Stored id of the session that a Bearer token is of. */
export function sessionIdOf(authorization: string): string {
  const [, claims = ''] = authorization.split('.')
  return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { jti: string }).jti
}
