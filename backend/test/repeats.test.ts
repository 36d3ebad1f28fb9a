import { encodeId } from '../src/platform/ids.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { examplesOf } from '../src/operating/openapi/examples.ts'
import { startFixture } from './access/fixture.ts'
import type { Answer } from './harness.ts'
import { pathWith } from './path-resources.ts'

const world = await startFixture()
const { backend, routes, things, own, leastBody } = world
afterAll(() => world.close())

/** The POSTs that publish the header. */
const repeatable = routes.filter(
  (route) => route.method === 'POST' && world.publishedAs(route)?.parameters.some(({ name }) => name === 'Idempotency-Key'),
)

it('covers the routes that create something [IDEM-01]', () => expect(repeatable.length).toBeGreaterThan(12))

/** What is stored by requests: rows of all tables that one may make. */
async function countRows(): Promise<unknown> {
  const tables = [
    'monitor',
    'server',
    'alert_rule',
    'channel',
    'maintenance_window',
    'reclassification',
    'status_page',
    'api_key',
    'invitation',
    'organization',
  ]
  const counted = [...tables, 'incident_event', 'audit_event'].map((name) => `select '${name}' as name, count(*) from ${name}`)
  return (await backend.pool.pg.query(counted.join(' union all '))).rows
}

/** Where the schema does not say all that a body must hold. */
const BODIES: Record<string, object> = {
  '/v1/monitors/bulk': { create: [examplesOf('CreateMonitorBody')['example']] },
  '/v1/alert-rules': {
    name: 'rule',
    target: { type: 'monitor' },
    condition: { metric: 'status', operator: 'equals', value: 'down' },
  },
  '/v1/monitors': { name: 'monitor', url: 'http://192.0.2.1/' },
  '/v1/identity-providers': {
    name: 'login',
    issuer: 'https://192.0.2.1',
    client_id: 'a',
    client_secret: 'b',
    email_domains: ['example.com'],
  },
  '/v1/monitors/:id/reclassifications': examplesOf('CreateReclassificationBody')['example'] as object,
  '/v1/exports': { name: 'export', kind: 'otlp', url: 'http://192.0.2.1/' },
  '/v1/alert-sources': { name: 'source', type: 'generic' },
  '/v1/slos': { name: 'objective', target: { tag: 'prod' }, objective: 99 },
  '/v1/status-pages/:id/posts': { type: 'incident', title: 'post', text: 'text' },
  '/v1/status-pages': { name: 'page', slug: 'repeats', title: 'page' },
  '/v1/channels': { name: 'channel', type: 'webhook', config: { url: 'http://192.0.2.1/' } },
}

const answerOf = ({ status, headers, body }: Answer) => ({ status, replayed: headers['idempotent-replayed'], body })

describe.each(repeatable.map((route) => [route.url, route] as const))('POST %s', (_, route) => {
  it('under one Idempotency-Key is done once, and answers the repeat like the first or with 409 [IDEM-01, IDEM-03]', async () => {
    const published = world.publishedAs(route)
    const ids = await things.chain(route.url, own)
    const { authorization, userId } = await things.owner(own)
    // Registering a host is what keys do.
    const as = published?.security.includes('session') ? { authorization } : await backend.apiKey(own, 'agent')
    const policy = { name: 'policy', steps: [{ user_ids: [encodeId('user', userId)] }] }
    const named = route.url === '/v1/escalation-policies' ? policy : BODIES[route.url]
    const request = { as, body: named ?? leastBody(published), headers: { 'idempotency-key': route.url } }
    // Only what was applied can be taken back.
    if (route.url.endsWith('/undo')) await backend.call('POST', pathWith(route.url, ids).replace('/undo', '/apply'), { as })
    const first = await backend.call('POST', pathWith(route.url, ids), request)
    expect(first.status, JSON.stringify(first.body)).toBeLessThan(300)
    const before = await countRows()
    const again = await backend.call('POST', pathWith(route.url, ids), request)
    expect(await countRows()).toEqual(before)
    const [original, conflict] = [
      answerOf(first),
      [409, [{ path: 'id', message: first.body.id ?? first.body.server_id ?? first.body.schedule_id }]],
    ]
    expect([{ ...original, replayed: 'true' }, conflict]).toContainEqual(
      again.status === 409 ? [409, again.body.error.details] : answerOf(again),
    )
  })
})
