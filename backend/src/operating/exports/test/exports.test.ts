import { uncompress } from 'snappyjs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Credentials, TestBackend, TestOrganization } from '../../../../test/harness.ts'
import { ProtobufWriter } from '../../../platform/protobuf/protobuf-writer.ts'
import { createExport, push, readAll, SETTLED_MS, startReceiver, startScene, stateOf } from './scene.ts'

const SECRET = 'Bearer s3cret-of-the-receiver'

let backend: TestBackend
let other: TestBackend
let receiver: Awaited<ReturnType<typeof startReceiver>>
beforeAll(async () => {
  backend = await startScene()
  other = await startScene({ databaseUrl: backend.databaseUrl, clock: backend.clock })
  receiver = await startReceiver()
})
afterAll(async () => {
  await receiver.close()
  await other.close()
  await backend.close()
})

let organization: TestOrganization
let as: Credentials
let agent: { id: string; as: Credentials }
beforeEach(async () => {
  organization = await backend.organization()
  as = await backend.member(organization, 'owner')
  agent = await backend.server(organization)
  receiver.received.length = 0
  Object.assign(receiver.answer, { status: 204, headers: {}, text: '' })
  // Those of other tests.
  await backend.pool.pg.query('delete from metric_export')
})

const send = async (by = backend) => {
  backend.clock.advance(SETTLED_MS)
  await by.jobs.sendExports()
}
const toReceiver = (more: object = {}) =>
  createExport(backend, as, { url: receiver.url, headers: { Authorization: SECRET }, ...more })
const contents = () => receiver.received.map(({ body }) => Buffer.from(uncompress(body)).toString('latin1'))

describe('an export', () => {
  it('by remote write brings every sample as the source has it, into another organization', async () => {
    const port = await backend.listen()
    const target = await backend.organization()
    const key = await backend.apiKey(target, 'ingest')
    const id = await createExport(backend, as, { url: `http://127.0.0.1:${port}/v1/prometheus/api/v1/write`, headers: key })
    await push(backend, agent.as, 6)
    backend.clock.advance(60_000)
    await push(backend, agent.as, 6, 7)
    await send()
    const state = await stateOf(backend, as, id)
    expect(state.last_error).toBe(null)
    const selector = `{server_id="${agent.id}"}`
    const source = await readAll(backend, organization, selector)
    expect(Object.keys(source).length).toBeGreaterThan(15)
    expect(await readAll(backend, target, selector)).toEqual(source)
    expect(state.samples_sent).toBe(Object.values(source).reduce((sum, { length }) => sum + length, 0))
  })

  it('by OTLP brings fields under the names of the semantic conventions', async () => {
    const port = await backend.listen()
    const target = await backend.organization()
    const key = await backend.apiKey(target, 'ingest')
    const url = `http://127.0.0.1:${port}/v1/otlp/v1/metrics`
    const id = await createExport(backend, as, { kind: 'otlp', url, headers: key })
    await push(backend, agent.as, 3)
    await send()
    expect(await stateOf(backend, as, id)).toMatchObject({ last_error: null, samples_dropped: 0 })
    const valuesOf = async (selector: string) =>
      Object.values(await readAll(backend, target, selector)).map((own) => own.map(([, value]) => value))
    const instance = `job="vedette",instance="${agent.id}"`
    expect(await valuesOf(`system_memory_usage_bytes{${instance},system_memory_state="used"}`)).toEqual([
      ['1000000007', '2000000014', '3000000021'],
    ])
    expect(await valuesOf(`system_cpu_utilization_ratio{${instance},cpu_mode="user"}`)).toEqual([['0.0013', '0.0025', '0.0038']])
    expect(await valuesOf(`vedette_cpu_percent{${instance}}`)).toEqual([['0.25', '0.5', '0.75']])
    expect(await valuesOf(`system_network_connection_count{${instance},network_connection_state="time_wait"}`)).toEqual([
      ['2', '4', '6'],
    ])
    expect(await valuesOf(`system_filesystem_limit_bytes{${instance},system_filesystem_mountpoint="/"}`)).toEqual([
      ['42949672960'],
    ])
    expect(await valuesOf(`vedette_interface_rx_bytes_per_sec{${instance},network_interface_name="eth0"}`)).toEqual([['1200.5']])
  })

  it('by OTLP counts and says what the receiver does not take, and does not send it again', async () => {
    const id = await toReceiver({ kind: 'otlp' })
    const partial = (rejectedDataPoints: number, errorMessage: string) => {
      const writer = new ProtobufWriter()
      writer.message(1, () => {
        writer.integer(1, rejectedDataPoints)
        writer.text(2, errorMessage)
      })
      Object.assign(receiver.answer, {
        status: 200,
        headers: { 'content-type': 'application/x-protobuf' },
        text: writer.finish(),
      })
    }
    partial(200, `too old for ${SECRET}`)
    await push(backend, agent.as, 20)
    await send()
    await send()
    expect(receiver.received).toHaveLength(1)
    const state = await stateOf(backend, as, id)
    expect(state).toMatchObject({ samples_dropped: 200, last_sent_at: expect.any(String) })
    expect(state.samples_sent).toBeGreaterThan(0)
    expect(state.last_error).toMatch(/Z: 200 values are dropped, the receiver took the others: too old for [^s]*$/)
    // More than were sent, and an answer that is none: neither stops it.
    partial(1_000_000, '')
    await push(backend, agent.as)
    await send()
    Object.assign(receiver.answer, { text: 'not protobuf' })
    await push(backend, agent.as)
    await send()
    const after = await stateOf(backend, as, id)
    expect([receiver.received.length, after.samples_sent > state.samples_sent]).toEqual([3, true])
    expect(after.samples_dropped).toBeLessThan(1_000)
  })

  it('sends what came while the receiver was away, once it is back, in order', async () => {
    const id = await toReceiver()
    await receiver.close()
    await push(backend, agent.as)
    await send()
    expect(await stateOf(backend, as, id)).toMatchObject({
      samples_sent: 0,
      last_error: expect.stringMatching(/it is sent again$/),
    })
    await push(backend, agent.as)
    await receiver.reopen()
    await send()
    const [first, ...more] = contents()
    expect([first?.includes('vedette_cpu_percent'), more.length]).toEqual([true, 0])
    expect(await stateOf(backend, as, id)).toMatchObject({ last_error: null, last_sent_at: expect.any(String) })
  })

  it('waits as long as Retry-After says after a 503, and as long as its own pause after a 429', async () => {
    const id = await toReceiver()
    await push(backend, agent.as)
    Object.assign(receiver.answer, { status: 503, headers: { 'retry-after': '60' } })
    await send()
    await send()
    expect(receiver.received).toHaveLength(1)
    Object.assign(receiver.answer, { status: 429, headers: {} })
    backend.clock.advance(40_000)
    await send()
    expect(receiver.received).toHaveLength(2)
    expect(await stateOf(backend, as, id)).toMatchObject({
      last_error: 'the receiver answered 429; it is sent again',
      samples_dropped: 0,
    })
    Object.assign(receiver.answer, { status: 200 })
    await send()
    expect(new Set(contents()).size).toBe(1)
    expect((await stateOf(backend, as, id)).samples_sent).toBeGreaterThan(10)
  })

  it('drops a batch that is refused with a 400, counts it, says why, and goes on', async () => {
    const id = await toReceiver()
    await push(backend, agent.as)
    Object.assign(receiver.answer, { status: 400, text: `out of order; you sent ${SECRET}` })
    await send()
    const refused = await stateOf(backend, as, id)
    expect(refused).toMatchObject({
      samples_sent: 0,
      last_error: expect.stringContaining('the receiver answered 400: out of order'),
    })
    expect(refused.samples_dropped).toBeGreaterThan(10)
    expect(refused.last_error).not.toContain('s3cret')
    // What waits says so in addition, and its success takes nothing else away.
    Object.assign(receiver.answer, { status: 503, text: '' })
    await push(backend, agent.as)
    await send()
    const words = `${refused.last_error}; the receiver answered 503; it is sent again`
    expect(await stateOf(backend, as, id)).toMatchObject({ last_error: words, samples_dropped: refused.samples_dropped })
    receiver.answer.status = 204
    await send()
    expect(receiver.received).toHaveLength(3)
    expect(await stateOf(backend, as, id)).toMatchObject({
      samples_sent: refused.samples_dropped,
      samples_dropped: refused.samples_dropped,
      last_error: refused.last_error,
    })
  })

  it('never answers the values of headers, and sends them', async () => {
    const id = await toReceiver({ headers: { Authorization: SECRET, 'X-Scope-OrgID': 'tenant-of-7' } })
    await push(backend, agent.as)
    await send()
    expect(receiver.received[0]?.headers).toMatchObject({ authorization: SECRET, 'x-scope-orgid': 'tenant-of-7' })
    const answers = [
      await backend.call('GET', '/v1/exports', { as }),
      await backend.call('GET', `/v1/exports/${id}`, { as }),
      await backend.call('PATCH', `/v1/exports/${id}`, { as, body: { headers: { authorization: '•••' } } }),
      await backend.call('GET', '/v1/audit-events', { as }),
    ]
    for (const { status, body } of answers) {
      expect(status).toBe(200)
      expect(JSON.stringify(body)).not.toMatch(/s3cret|tenant-of-7/)
    }
    expect(answers[1]?.body.headers).toEqual({ Authorization: '•••', 'X-Scope-OrgID': '•••' })
    const { rows } = await backend.pool.pg.query('select headers_encrypted from metric_export')
    expect(rows[0].headers_encrypted.toString('latin1')).not.toMatch(/s3cret/)
    await push(backend, agent.as)
    await send()
    expect(receiver.received[1]?.headers.authorization).toBe(SECRET)
    expect(receiver.received[1]?.headers['x-scope-orgid']).toBe(undefined)
  })

  it('wants the headers again for another origin, and no header that is not stored', async () => {
    const id = await toReceiver()
    const patch = (body: object) => backend.call('PATCH', `/v1/exports/${id}`, { as, body })
    const moved = await patch({ url: 'http://127.0.0.1:1/write' })
    expect([moved.status, moved.body.error.details]).toEqual([
      400,
      [{ path: 'headers.Authorization', message: 'must be sent again: the stored value is for the origin of the previous url' }],
    ])
    const unknown = await patch({ headers: { 'X-Other': '•••' } })
    expect(unknown.body.error.details[0].path).toBe('headers.X-Other')
    expect((await patch({ url: 'http://127.0.0.1:1/write', headers: { Authorization: 'x' } })).status).toBe(200)
    expect((await patch({ url: 'http://user:pass@127.0.0.1/write' })).status).toBe(400)
  })

  it('does not follow a redirect to another origin', async () => {
    const target = await startReceiver()
    const id = await toReceiver()
    await push(backend, agent.as)
    Object.assign(receiver.answer, { status: 307, headers: { location: target.url } })
    await send()
    expect(target.received).toEqual([])
    expect((await stateOf(backend, as, id)).last_error).toContain('the redirect leads to another origin')
    await target.close()
  })

  it('reaches no private address where the operator does not allow it', async () => {
    const guarded = await startScene({
      databaseUrl: backend.databaseUrl,
      clock: backend.clock,
      environment: { VEDETTE_ALLOW_PRIVATE_TARGETS: '10.0.0.0/8' },
    })
    const id = await toReceiver()
    await push(backend, agent.as)
    await send(guarded)
    expect([receiver.received.length, (await stateOf(backend, as, id)).samples_sent]).toEqual([0, 0])
    await guarded.close()
  })

  it('sends each value once when two processes take turns, and a process whose cursor is old changes nothing', async () => {
    const id = await toReceiver()
    for (const by of [backend, other, backend, other]) {
      await push(backend, agent.as)
      await send(by)
    }
    expect(new Set(contents()).size).toBe(4)
    await push(backend, agent.as)
    backend.clock.advance(SETTLED_MS)
    await Promise.all([backend.jobs.sendExports(), other.jobs.sendExports()])
    await send()
    const state = await stateOf(backend, as, id)
    expect(new Set(contents()).size).toBe(5)
    expect(state.samples_sent % 5).toBe(0)
    expect(state.samples_sent).toBe((state.samples_sent / 5) * new Set(contents()).size)
  })

  it('passes over no push that commits late', async () => {
    await toReceiver()
    const client = await backend.pool.pg.connect()
    await push(backend, agent.as, 1, 3)
    // As it is while the statement has not committed.
    const { rows } = await backend.pool.pg.query('select received_at, t0 from metric_push order by received_at desc limit 1')
    try {
      await client.query('begin')
      await client.query('update metric_push set digest = digest + 1 where t0 = $1', [rows[0].t0])
      backend.clock.advance(5_000)
      await push(backend, agent.as, 1, 4)
      await backend.jobs.sendExports()
      expect(receiver.received).toEqual([])
    } finally {
      await client.query('commit')
      client.release()
    }
    await send()
    expect(
      contents()
        .join('')
        .match(/vedette_cpu_percent/g),
    ).toHaveLength(1)
    expect(receiver.received).toHaveLength(1)
  })

  it('sends nothing while it is disabled, and continues where it stopped', async () => {
    const id = await toReceiver({ enabled: false })
    await push(backend, agent.as)
    await send()
    expect(receiver.received).toEqual([])
    await backend.call('PATCH', `/v1/exports/${id}`, { as, body: { enabled: true } })
    await send()
    expect(receiver.received).toHaveLength(1)
  })

  it('says what was gone before it could be sent', async () => {
    const id = await toReceiver()
    await backend.pool.pg.query(`update metric_export set cursor_received_at = cursor_received_at - 10 * 86400000::int8`)
    await send()
    expect(await stateOf(backend, as, id)).toMatchObject({
      last_error: expect.stringMatching(/^what was received from .* to .* is not sent: about 0 samples of hosts$/),
      samples_skipped: 0,
      lag_seconds: expect.any(Number),
    })
    await push(backend, agent.as)
    await send()
    expect(receiver.received).toHaveLength(1)
  })

  it('is one of five at most', async () => {
    for (const _ of Array.from({ length: 5 })) await toReceiver()
    const { status, body } = await backend.call('POST', '/v1/exports', {
      as,
      body: { name: 'x', kind: 'otlp', url: receiver.url },
    })
    expect([status, body.error.message]).toEqual([409, 'At most 5 exports per organization are allowed. Delete one first.'])
  })
})
