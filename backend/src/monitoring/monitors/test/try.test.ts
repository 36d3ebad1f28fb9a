import type { CheckDefinition, CheckResult } from '@vedette/shared'
import { NO_ANNOUNCEMENTS } from '../../../../test/changes.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Credentials, passedCheck } from '../../../../test/harness.ts'
import { createApp } from '../../../app.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { createSecrets } from '../../../platform/crypto/installation-secrets.ts'
import { type Scene, startScene } from './scene.ts'

let scene: Scene
let calls: CheckDefinition[] = []
let result: CheckResult
beforeAll(async () => {
  const prober = {
    check: async (definition: CheckDefinition) => {
      calls.push(definition)
      return result
    },
  }
  scene = await startScene({ prober })
})
beforeEach(() => {
  calls = []
  result = passedCheck(scene.backend.clock.now())
})
afterAll(() => scene.backend.close())

const tried = (body: object, as?: Credentials) =>
  scene.call('POST', '/test', { name: 'x', url: 'https://example.com/', ...body }, as)

describe('POST /v1/monitors/test', () => {
  it('runs one check with the whole definition and stores nothing [MON-37, START-40]', async () => {
    const { delayed: _delayed, certificate: _certificate, ...outcome } = result
    const { status, body } = await tried({
      method: 'POST',
      body: 'ping',
      headers: { 'X-Token': 'a' },
      regions: ['eu-1', 'local'],
    })
    expect([status, body]).toEqual([200, { ...outcome, facts: {}, region: 'local', certificate_expires_at: null }])
    expect(calls).toEqual([
      {
        type: 'http',
        url: 'https://example.com/',
        method: 'POST',
        headers: { 'X-Token': 'a' },
        body: 'ping',
        timeout: 10,
        follow_redirects: true,
        verify_tls: true,
        options: {},
        credentials: {},
        assertions: [],
      },
    ])
    expect((await scene.call('GET', '')).body.total).toBe(0)
    expect(await scene.backend.pool.db.selectFrom('check_result').select('at').execute()).toEqual([])
  })

  it('returns the failure and the expiry of the certificate', async () => {
    const certificate = { expires_at: '2027-01-01T00:00:00.000Z', issuer: 'CN=test', subject_names: ['example.com'] }
    const nothing = { status_code: null, response_ms: null, first_byte_ms: null, transfer_ms: null }
    result = { ...result, ...nothing, outcome: 'down', error: { code: 'timeout', message: 'no answer within 10 s' }, certificate }
    const { body } = await tried({})
    expect(body).toMatchObject({
      outcome: 'down',
      response_ms: null,
      error: { code: 'timeout', message: 'no answer within 10 s' },
      certificate_expires_at: '2027-01-01T00:00:00.000Z',
    })
  })

  it('does not check a definition that could not be stored', async () => {
    for (const body of [{ url: 'nonsense' }, { regions: ['mars'] }, { server_id: 'nonsense' }, { interval: 10, timeout: 20 }])
      expect((await tried(body)).status).toBe(400)
    expect(calls).toEqual([])
  })

  it('is allowed for callers who may create monitors', async () => {
    const { backend, organization } = scene
    for (const as of [scene.viewer, await backend.apiKey(organization, 'read', 'agent')])
      expect((await tried({}, as)).status).toBe(403)
    expect((await tried({}, {})).status).toBe(401)
    expect(calls).toEqual([])
    expect((await tried({}, await backend.apiKey(organization, 'write'))).status).toBe(200)
  })

  it('is unavailable when the backend runs no checks', async () => {
    const { settings, pool, clock } = scene.backend
    const { app } = await createApp({
      settings,
      pool,
      clock,
      databaseClock: { now: () => clock.now(), measure: () => Promise.resolve() },
      log: silentLog,
      secrets: createSecrets(['a secret for tests that has more than 32 bytes']),
      uptime: { startedAtMs: 0, aliveBeforeMs: undefined },
      changes: NO_ANNOUNCEMENTS,
      tls: undefined,
      version: 'test',
      environment: {},
    })
    const { authorization } = scene.admin
    const payload = { name: 'x', url: 'https://example.com/' }
    const answer = await app.inject({ method: 'POST', url: '/v1/monitors/test', headers: { authorization }, payload })
    expect([answer.statusCode, answer.json().error.code]).toEqual([503, 'unavailable'])
    expect(answer.headers['retry-after']).toMatch(/^\d+$/)
    await app.close()
  })
})
