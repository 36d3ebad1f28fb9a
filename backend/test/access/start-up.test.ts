import { Type } from 'typebox'
import { NO_ANNOUNCEMENTS } from '../changes.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { createApp, type VedetteApp } from '../../src/app.ts'
import type { RouteAccess } from '../../src/access/auth/index.ts'
import { silentLog } from '../../src/platform/logging/log.ts'
import { createSecrets } from '../../src/platform/crypto/installation-secrets.ts'
import { type Credentials, TEST_SECRET } from '../harness.ts'
import { expectedDecision } from './table.ts'
import { startFixture } from './fixture.ts'

const world = await startFixture()
const { backend, callers } = world
afterAll(() => world.close())

const answer = { 200: Type.Object({}) }

/** The app as it is made at a start, before it is ready. */
const unstarted = (): Promise<VedetteApp> =>
  createApp({
    settings: backend.settings,
    pool: backend.pool,
    clock: backend.clock,
    databaseClock: { now: () => backend.clock.now(), measure: () => Promise.resolve() },
    log: silentLog,
    secrets: createSecrets([TEST_SECRET]),
    uptime: { startedAtMs: 0, aliveBeforeMs: undefined },
    changes: NO_ANNOUNCEMENTS,
    tls: undefined,
    version: 'test',
    environment: {},
  })

describe('the start-up', () => {
  it('fails on a route that does not say who may call it', async () => {
    const { app } = await unstarted()
    expect(() => app.get('/v1/secrets', { schema: { response: answer } }, async () => ({}))).toThrow(
      'GET /v1/secrets does not say who may call it',
    )
    await app.close()
  })

  it('fails on a route that does not say what it answers', async () => {
    const { app } = await unstarted()
    expect(() => app.get('/v1/secrets', { config: { access: 'read' } }, async () => ({}))).toThrow(
      'GET /v1/secrets declares no response schema',
    )
    await app.close()
  })

  it('fails on such a route of a plugin too', async () => {
    const { app } = await unstarted()
    app.register(async (part) => void part.get('/secrets', { schema: { response: answer } }, async () => ({})), { prefix: '/v1' })
    await expect(app.ready()).rejects.toThrow('GET /v1/secrets does not say who may call it')
  })

  it.each([
    ['/v1/organizations/:id/secrets', {}],
    ['/v1/secrets/:id', { organizationFromPath: true }],
  ])('fails on %s with %j: the path of an organization says so, and no other', async (url, more) => {
    const { app } = await unstarted()
    const config = { access: 'read', ...more } as const
    expect(() => app.get(url, { schema: { response: answer }, config }, async () => ({}))).toThrow(
      'organizationFromPath goes with',
    )
    await app.close()
  })

  it('takes a route that says both, and asks for it', async () => {
    const { app, routes } = await unstarted()
    app.get('/v1/secrets', { schema: { response: answer }, config: { access: 'org:delete' } }, async () => ({}))
    const route = routes.find(({ method, url }) => method === 'GET' && url === '/v1/secrets') as RouteAccess
    expect(route).toMatchObject({ access: 'org:delete', organizationFromPath: false, withoutOrganization: false })
    const status = async ({ userId: _userId, ...headers }: Credentials) =>
      (await app.inject({ method: 'GET', url: '/v1/secrets', headers })).statusCode
    for (const caller of callers) {
      const gate = expectedDecision(route, caller)
      expect(await status(caller.as), caller.name).toBe(gate === 'in' ? 200 : gate)
    }
    await app.close()
  })
})
