import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RouteAccess } from '../../src/access/auth/index.ts'
import { isWhole } from '../deal.ts'
import { resolve, type Schema, withValue } from '../fuzz/schema-arbitrary.ts'
import type { Credentials } from '../harness.ts'
import { type Ids, pathWith } from '../path-resources.ts'
import { nameOf } from './table.ts'
import { startFixture } from './fixture.ts'

const world = await startFixture()
const { backend, routes, things, own, leastBody } = world
const { components } = world.description
afterAll(() => world.close())

/** What somebody would send to be more than they are, or to write what is not theirs to write. */
const PRIVILEGES: Record<string, unknown> = {
  // No present value: a PATCH may send that back.
  plan: 'unlimited',
  role: 'owner',
  roles: ['owner'],
  scopes: ['admin'],
  permissions: ['org:delete'],
  is_admin: true,
  organization: own.id,
  organization_id: own.id,
  id: 'org_01h455vb4pex5vsknk084sn02q',
  user_id: 'usr_01h455vb4pex5vsknk084sn02q',
  server_id: 'srv_01h455vb4pex5vsknk084sn02q',
  created_by: 'usr_01h455vb4pex5vsknk084sn02q',
  created_at: '2020-01-01T00:00:00.000Z',
  joined_at: '2020-01-01T00:00:00.000Z',
  expires_at: '2099-01-01T00:00:00.000Z',
  revoked_at: null,
  status: 'online',
  token: 'mine',
  key: 'vdt_key_mine',
  password_hash: '$argon2id$mine',
  totp_enabled: false,
  email: 'other@example.com',
  member_count: 1,
  limits: { servers: 1_000_000 },
}

/** Where in a body objects stand: at its root and below. */
function objectsIn(schema: Schema, path: string[] = []): { path: string[]; known: Set<string> }[] {
  const { properties = {} } = resolve(schema, { components: components.schemas })
  const below = Object.entries(properties).flatMap(([name, part]) => objectsIn(part, [...path, name]))
  const isObject = Object.keys(properties).length > 0
  return isObject ? [{ path, known: new Set(Object.keys(properties)) }, ...below] : below
}

// An agent may be newer than its backend, which ignores unknown fields of agents; their own tests check that.
const writing = routes.filter((route) => world.publishedAs(route)?.body && !/^\/v1\/(agent|probe)\//.test(route.url))

/** What changes by itself is ignored in a PATCH, whatever it is. */
// As it is: a key or a certificate that is not revoked.
const MEASURED = new Set([
  '/v1/api-keys/:id revoked_at',
  '/v1/certificates/:id revoked_at',
  '/v1/slos/:id status',
  '/v1/status-pages/:id/posts/:postId status',
])

const cases = writing.flatMap((route) =>
  objectsIn(world.publishedAs(route)?.body ?? {}).flatMap(({ path, known }) =>
    Object.keys(PRIVILEGES)
      .filter((name) => !known.has(name) && !MEASURED.has(`${route.url} ${name}`))
      .map((name) => ({ route, path: [...path, name], value: PRIVILEGES[name] })),
  ),
)

it('is tried in more than 300 ways', () => expect(cases.length).toBeGreaterThan(300))

/** What every table holds, as one text. */
async function everything(): Promise<string> {
  const tables = await sql<{ name: string }>`
    select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relkind in ('r', 'p') and not relispartition and nspname not like 'pg\_%' and nspname <> 'information_schema'
    order by 1`.execute(backend.pool.db)
  const parts = tables.rows.map(
    ({ name }) => `select '${name}' as name, md5(string_agg(t::text, ',' order by t::text)) as hash from ${name} t`,
  )
  return JSON.stringify((await sql.raw(`${parts.join(' union all ')} order by name`).execute(backend.pool.db)).rows)
}

/** Of one session: a new one would be a change. */
async function session(): Promise<{ authorization: string }> {
  const { authorization } = await things.owner(own)
  await backend.call('GET', '/v1/auth/me', { as: { authorization } })
  return { authorization }
}

const targets = new Map<RouteAccess, { ids: Ids; as: Credentials }>()
let before: string
beforeAll(async () => {
  for (const route of writing) {
    const ids = await things.chain(route.url, own)
    targets.set(route, { ids, as: route.access === 'open' ? {} : await session() })
  }
  before = await everything()
})

it('would be noticed if it were stored', async () => {
  await things.chain('/v1/servers/:id', own)
  const after = await everything()
  expect(after).not.toBe(before)
  before = after
})

/** Sends each body for the same thing, and gives what was said of each. Nothing may be stored by any of them. */
async function send(route: RouteAccess, bodies: readonly unknown[]): Promise<unknown[][]> {
  const { ids = {}, as = {} } = targets.get(route) ?? {}
  const answers: unknown[][] = []
  for (const body of bodies) {
    const answer = await backend.call(route.method, pathWith(route.url, ids), { as, body })
    const { code, details = [] } = answer.body?.error ?? {}
    answers.push([answer.status, code, details[0]?.path])
  }
  // Reading every table takes longer than all requests for a route: by day they are read after the last one.
  expect(isWhole ? await everything() : before).toBe(before)
  return answers
}

const NO_ROLE = ['Owner', 'root', '', null, true, 3, {}, ['owner'], 'owner\0']

describe.each(writing.map((route) => [nameOf(route), route] as const))('%s', (_, route) => {
  const published = world.publishedAs(route)
  /** With the least of the part that the path leads into, which a change may leave out. */
  const least = ([head = '', ...rest]: readonly string[] = []): unknown => {
    const whole = leastBody(published) as object
    const part = published?.body && resolve(published.body, { components: components.schemas }).properties?.[head]
    return published && part && rest.length > 0 && !(head in whole)
      ? { ...whole, [head]: leastBody({ ...published, body: part }) }
      : whole
  }

  it('refuses each privilege by name, and stores nothing', async () => {
    const tried = cases.filter((one) => one.route === route)
    const answers = await send(
      route,
      tried.map(({ path, value }) => withValue(least(path), path, value)),
    )
    expect(answers).toEqual(tried.map(({ path }) => [400, 'validation_error', path.join('.')]))
  })

  const chosen = Object.keys(least() as object).filter((name) => name === 'role' || name === 'scopes')
  it.each(chosen)('refuses what is no %s, and stores nothing', async (name) => {
    const answers = await send(
      route,
      NO_ROLE.map((value) => ({ ...(least() as object), [name]: name === 'scopes' ? [value] : value })),
    )
    const said = answers.map(([status, code, path]) => [status, code, String(path).split('.')[0]])
    expect(said).toEqual(NO_ROLE.map(() => [400, 'validation_error', name]))
  })
})

it('has stored nothing in the end', async () => expect(await everything()).toBe(before))
