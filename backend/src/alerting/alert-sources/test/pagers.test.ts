import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { BODIES } from '../formats/test/bodies.ts'

let backend: TestBackend
let admin: Credentials
beforeAll(async () => {
  backend = await startTestBackend({ startMs: Date.parse('2026-11-30T10:00:00Z') })
})
afterAll(() => backend.close())
beforeEach(async () => {
  admin = await backend.apiKey(await backend.organization(), 'admin')
})

const call = async (method: string, url: string, body?: unknown) => (await backend.call(method, url, { as: admin, body })).body
const sourceOf = async (type: string): Promise<string> =>
  (await call('POST', '/v1/alert-sources', { name: type, type, tags: ['shop'] })).token
const incidents = async () => (await call('GET', '/v1/incidents')).incidents

describe('a client of PagerDuty', () => {
  const send = (token: string, path: string, body: unknown) =>
    backend.call('POST', `/v1/in/pagerduty/${token}/v2/${path}`, { body })

  it('triggers, acknowledges and resolves, each answered as by PagerDuty', async () => {
    const token = await sourceOf('pagerduty_v2')
    const accepted = { status: 'success', message: 'Event processed', dedup_key: 'db-1/disk' }
    const act = async (event_action: string) => {
      const { status, body } = await send(token, 'enqueue', { ...BODIES.pagerduty, event_action })
      expect([status, body]).toEqual([202, accepted])
      return (await incidents()).map((one: { status: string }) => one.status)
    }
    expect(await act('trigger')).toEqual(['open'])
    expect(await act('trigger')).toEqual(['open'])
    expect(await act('acknowledge')).toEqual(['acknowledged'])
    expect(await act('resolve')).toEqual(['resolved'])
  })

  it('reads faults, unknown tokens and other types in its own form', async () => {
    const token = await sourceOf('pagerduty_v2')
    const fault = await send(token, 'enqueue', { event_action: 'trigger', payload: {} })
    expect([fault.status, fault.body]).toEqual([
      400,
      {
        status: 'invalid event',
        message: 'Event object is invalid',
        errors: ["'payload.summary' must be a text that is not empty"],
      },
    ])
    expect(await send('vdt_in_x', 'enqueue', BODIES.pagerduty)).toMatchObject({ status: 404, body: { status: 'not_found' } })
    const other = await send(await sourceOf('grafana'), 'enqueue', BODIES.pagerduty)
    expect(other).toMatchObject({ status: 400, body: { errors: [expect.stringMatching(/pagerduty_v2: this one is grafana/)] } })
  })

  it('reports a change, which is an annotation with the tags of the source', async () => {
    const token = await sourceOf('pagerduty_v2')
    const payload = { summary: 'Build 9 is out', source: 'ci', timestamp: '2026-11-30T09:59:00Z' }
    const links = [{ href: 'https://ci.example/9', text: 'Build' }]
    const { status, body } = await send(token, 'change/enqueue', { routing_key: 'x', payload, links })
    expect([status, body]).toEqual([202, { status: 'success', message: 'Change event processed' }])
    expect((await call('GET', '/v1/annotations')).annotations).toMatchObject([
      { text: 'ci: Build 9 is out', at: '2026-11-30T09:59:00.000Z', url: 'https://ci.example/9', tags: ['shop'] },
    ])
    expect((await send('vdt_in_x', 'change/enqueue', { payload })).status).toBe(404)
  })

  it('is notified when it may send again', async () => {
    const environment = { VEDETTE_RATE_LIMITS: 'ping=1' }
    const limited = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock, environment })
    try {
      const url = `/v1/in/pagerduty/${await sourceOf('pagerduty_v2')}/v2/enqueue`
      const answers = []
      for (let index = 0; index < 6; index += 1) answers.push(await limited.call('POST', url, { body: BODIES.pagerduty }))
      expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202, 429])
      expect(answers.at(-1)?.body).toMatchObject({ status: 'throttle exceeded' })
      expect(Number(answers.at(-1)?.headers['retry-after'])).toBeGreaterThan(0)
    } finally {
      await limited.close()
    }
  })
})

describe('a client of Opsgenie', () => {
  const send = (token: string, path: string, body?: unknown, method = 'POST') =>
    backend.call(method, `/v1/in/opsgenie/${token}/v2/${path}`, { body, headers: { authorization: 'GenieKey x' } })
  const accepted = { result: 'Request will be processed', took: expect.any(Number), requestId: expect.any(String) }

  it('creates, acknowledges, comments and closes an alert by its alias, and requests what became of one', async () => {
    const token = await sourceOf('opsgenie')
    const created = await send(token, 'alerts', BODIES.opsgenie)
    expect([created.status, created.body]).toEqual([202, accepted])
    const status = await send(token, `alerts/requests/${created.body.requestId}`, undefined, 'GET')
    expect(status).toMatchObject({ status: 200, body: { data: { success: true, alertId: 'disk-db-1', alias: 'disk-db-1' } } })
    const act = async (action: string, query: string, body?: object) => {
      const answer = await send(token, `alerts/disk-db-1/${action}${query}`, body)
      expect([answer.status, answer.body]).toEqual([202, accepted])
      return (await incidents()).map((one: { status: string }) => one.status)
    }
    expect(await act('acknowledge', '?identifierType=alias', { user: 'Ada' })).toEqual(['acknowledged'])
    expect(await act('notes', '', { note: 'on it', user: 'Ada' })).toEqual(['acknowledged'])
    expect(await act('close', '?identifierType=id')).toEqual(['resolved'])
    const [{ id }] = await incidents()
    const { timeline } = await call('GET', `/v1/incidents/${id}`)
    expect(timeline.map(({ message }: { message: string | null }) => message)).toEqual(
      expect.arrayContaining([expect.stringMatching(/on it \(by Ada in opsgenie\)/)]),
    )
  })

  it('reads faults in its own form', async () => {
    const token = await sourceOf('opsgenie')
    const fault = await send(token, 'alerts', { priority: 'P1' })
    expect(fault).toMatchObject({ status: 422, body: { errors: { message: 'must be a text that is not empty' } } })
    expect((await send(token, 'alerts/a/close?identifierType=name', {})).status).toBe(422)
    const unknown = await send('vdt_in_x', 'alerts', BODIES.opsgenie)
    expect(unknown).toMatchObject({ status: 404, body: { message: expect.any(String), requestId: expect.any(String) } })
  })

  it('pings the one heartbeat of a name, and hears nothing of whether there is one', async () => {
    const token = await sourceOf('opsgenie')
    const schedule = { period_seconds: 3_600, grace_seconds: 300 }
    const heartbeat = { name: 'Nightly backup', type: 'heartbeat', options: { schedule } }
    const monitor = await call('POST', '/v1/monitors', heartbeat)
    for (const method of ['GET', 'POST']) {
      const ping = await send(token, 'heartbeats/Nightly%20backup/ping', undefined, method)
      expect([ping.status, ping.body.result]).toEqual([202, 'PONG - Heartbeat received'])
    }
    expect((await send(token, 'heartbeats/other/ping')).status).toBe(202)
    expect((await call('GET', `/v1/monitors/${monitor.id}/pings`)).total).toBe(2)
    await call('POST', '/v1/monitors', heartbeat)
    await send(token, 'heartbeats/Nightly%20backup/ping')
    expect((await call('GET', `/v1/monitors/${monitor.id}/pings`)).total).toBe(2)
    expect((await send('vdt_in_x', 'heartbeats/other/ping')).status).toBe(404)
  })
})
