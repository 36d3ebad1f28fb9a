import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ID_PREFIX, SCOPES } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/platform/ids.ts'
import { type Credentials, startTestBackend, type TestBackend } from '../harness.ts'
import { breaksOf, parametersOf, type Published, type Schema, type Surface, surfacesOf, walkFields } from './compatibility.ts'

let backend: TestBackend
let published: Published
let owner: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  published = backend.vedette.app.swagger() as unknown as Published
  owner = await backend.member(await backend.organization(), 'owner')
})
afterAll(() => backend.close())

/** Every field that the description names, of bodies and answers. */
function allFields(): [name: string, field: Schema][] {
  const found: [string, Schema][] = []
  const { schemas } = published.components
  const note = (schema: Schema | undefined) => {
    if (schema) walkFields(schema, schemas, (_path, name, field) => void found.push([name, field]))
  }
  for (const operation of Object.values(published.paths).flatMap((one) => Object.values(one))) {
    note(operation.requestBody?.content['application/json']?.schema)
    for (const { content } of Object.values(operation.responses)) note(content?.['application/json']?.schema)
  }
  return found
}

describe('names', () => {
  it('of fields and parameters are snake_case [WIRE-01]', () => {
    const names = new Set(allFields().map(([name]) => name))
    expect(names.size).toBeGreaterThan(100)
    const parameters = Object.values(published.paths)
      .flatMap((operations) => Object.values(operations))
      .flatMap((operation) => parametersOf(operation.parameters ?? [], published.components.parameters ?? {}))
      .filter((parameter) => parameter.in === 'query')
      .map(({ name }) => name)
    expect([...names, ...parameters].filter((name) => !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name))).toEqual([])
  })

  it('say their unit in one way [WIRE-02]', () => {
    const other =
      /(^|_)(?<!_per_)(kb|mb|gb|kib|mib|gib|size|sec|secs|second|min|mins|minutes|hours|milliseconds|millis|msec|duration|pct|percentage|ratio|share)$/
    const fields = allFields()
    // The unit of the first is part of what was decided for the wire; the second is no duration.
    const decided = new Set(['expires_in_minutes', 'active_hours'])
    expect(fields.map(([name]) => name).filter((name) => other.test(name) && !decided.has(name))).toEqual([])
    const shares = fields.filter(([, { minimum, maximum }]) => minimum === 0 && maximum === 100)
    expect(shares.length).toBeGreaterThan(3)
    // The contract calls this one so.
    for (const [name] of shares) expect(name).toMatch(/(^|_)percent$|^uptime_7d$/)
  })
})

describe('ids', () => {
  it('have the prefix of their kind [WIRE-05]', () => {
    expect(ID_PREFIX).toMatchObject({
      organization: 'org',
      user: 'usr',
      server: 'srv',
      monitor: 'mon',
      apiKey: 'key',
      invitation: 'inv',
      alertRule: 'alr',
      channel: 'chn',
      incident: 'inc',
      maintenanceWindow: 'mnt',
      statusPage: 'spg',
      post: 'pst',
      postUpdate: 'pup',
      subscriber: 'sub',
    })
  })

  it('are UUIDs of version 7, and stored as uuid [WIRE-04, WIRE-06]', async () => {
    expect(newId()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    // Regions are called as their operators call them.
    const { rows } = await backend.pool.pg.query<{ at: string; type: string }>(
      `select table_name || '.' || column_name as at, data_type as type from information_schema.columns
       where table_schema = 'public' and table_name not like 'kysely%' and table_name <> 'region' and column_name in ('id', 'user_id', 'server_id', 'actor_id', 'target_id', 'invitation_id')`,
    )
    expect(rows.length).toBeGreaterThan(10)
    expect(rows.filter(({ type }) => type !== 'uuid')).toEqual([])
  })
})

it('every answer with a body is JSON [WIRE-20]', async () => {
  const requests: [string, string, Credentials?, unknown?][] = [
    ['GET', '/v1/servers', owner],
    ['GET', '/v1/servers?page=0', owner],
    ['GET', '/v1/servers'],
    ['GET', '/v1/nothing'],
    ['PUT', '/v1/servers', owner],
    ['POST', '/v1/organizations', owner, { name: 'New' }],
    ['POST', '/v1/auth/login', {}, '{'],
    ['GET', '/healthz'],
  ]
  for (const [method, url, as, body] of requests) {
    const answer = await backend.call(method, url, { ...(as ? { as } : {}), body })
    expect([url, answer.headers['content-type']]).toEqual([url, 'application/json; charset=utf-8'])
    expect(answer.body).toBeTypeOf('object')
  }
})

it('a fault of ours is a fixed text, whatever it was [ERROR-17]', async () => {
  await backend.pool.pg.query('alter table server rename to server_away')
  const { status, body } = await backend.call('GET', '/v1/servers', { as: owner })
  await backend.pool.pg.query('alter table server_away rename to server')
  expect([status, body.error.code]).toEqual([500, 'internal_error'])
  expect(JSON.stringify(body)).not.toMatch(/server|relation|select/)
  expect((await backend.call('GET', '/v1/servers', { as: owner })).status).toBe(200)
})

describe('versions', () => {
  it('every endpoint stands below /v1 [VERSION-01]', () => {
    expect(Object.keys(published.paths).length).toBeGreaterThan(20)
    const outside = new Set(['/', '/healthz', '/readyz', '/openapi.json'])
    expect(Object.keys(published.paths).filter((path) => !path.startsWith('/v1/'))).toEqual(['/healthz', '/readyz'])
    const others = backend.vedette.routes.map(({ url }) => url).filter((url) => !url.startsWith('/v1/'))
    expect(others.filter((url) => !outside.has(url))).toEqual([])
  })

  // What is promised once stands in v1.json; TEST_RECORD_V1=1 adds what is new.
  const FILE = join(import.meta.dirname, 'v1.json')

  it('nothing that was published has gone, and nothing became required [VERSION-02, VERSION-03, VERSION-04]', () => {
    const now = surfacesOf(published)
    if (process.env['TEST_RECORD_V1']) writeFileSync(FILE, `${JSON.stringify(now, null, 1)}\n`)
    const before = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Surface>
    expect(Object.keys(before).length).toBeGreaterThan(20)
    expect(breaksOf(before, now)).toEqual([])
  })

  it('what goes or is demanded is found', () => {
    const one: Surface = { parameters: ['a'], required: [], body: ['b'], requiredBody: [], answers: { 200: ['c', 'c.d'] } }
    const change = (to: Partial<Surface>) => breaksOf({ 'GET /x': one }, { 'GET /x': { ...one, ...to } })
    expect(change({ parameters: ['a', 'z'], body: ['b', 'y'], answers: { 200: ['c', 'c.d', 'x'], 201: [] } })).toEqual([])
    expect(breaksOf({ 'GET /x': one }, {})).toEqual(['GET /x is gone'])
    expect(change({ parameters: [] })).toEqual(['GET /x: parameter a is gone'])
    expect(change({ body: [] })).toEqual(['GET /x: field b is gone'])
    expect(change({ answers: { 200: ['c'] } })).toEqual(['GET /x: 200 field c.d is gone'])
    expect(change({ answers: {} })).toEqual(['GET /x: 200 is gone'])
    expect(change({ required: ['a'], requiredBody: ['b'] })).toEqual(['GET /x: a is required now', 'GET /x: b is required now'])
  })
})

describe('the description', () => {
  it('is OpenAPI 3.1, and what it says is what validates [DOC-01]', async () => {
    const { status, headers, body } = await backend.call('GET', '/openapi.json')
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(body.openapi).toMatch(/^3\.1\./)
    expect(body.paths).toEqual(published.paths)
    const { minimum, maximum } = body.paths['/v1/servers'].get.parameters.find(
      ({ name }: { name: string }) => name === 'limit',
    ).schema
    for (const [limit, expected] of [
      [minimum, 200],
      [maximum, 200],
      [minimum - 1, 400],
      [maximum + 1, 400],
    ])
      expect((await backend.call('GET', `/v1/servers?limit=${limit}`, { as: owner })).status).toBe(expected)
  })

  it('can be read by people [DOC-02]', async () => {
    const { status, headers, body } = await backend.call('GET', '/docs')
    expect([status, headers['content-type']]).toEqual([200, expect.stringContaining('text/html')])
    expect(String(body)).toContain('Vedette API')
  })
})

it('/v1/metrics is nobody’s [METRIC-20]', async () => {
  for (const method of ['GET', 'POST']) {
    const { status, body } = await backend.call(method, '/v1/metrics', { as: owner, body: {} })
    expect([status, body.error.code]).toEqual([404, 'not_found'])
  }
})

it('scopes are these five, and a key takes each of them [ACCESS-02]', async () => {
  expect([...SCOPES].sort()).toEqual(['admin', 'agent', 'ingest', 'read', 'write'])
  const body = { name: 'all', scopes: ['read', 'write', 'admin', 'agent', 'ingest'] }
  const made = await backend.call('POST', '/v1/api-keys', { as: owner, body })
  expect([made.status, made.body.scopes]).toEqual([201, body.scopes])
})
