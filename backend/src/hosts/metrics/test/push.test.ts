import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { BINARY_PUSH_TYPE, encodeBinaryBatch, encodeBinaryPush } from '@vedette/shared/metrics/binary-push'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { holdBy } from '../../../../test/database-locks.ts'
import { parseId } from '../../../platform/ids.ts'
import { startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'

const SECOND = 1_000
const HOUR = 3_600_000
const DAY = 86_400_000

describe('POST /v1/agent/metrics', () => {
  let backend: TestBackend
  let organization: TestOrganization
  let server: { id: string; as: { 'x-api-key': string } }
  beforeAll(async () => {
    backend = await startTestBackend()
    organization = await backend.organization()
  })
  afterAll(() => backend.close())
  beforeEach(async () => {
    server = (await backend.server(organization)) as typeof server
    backend.clock.advance(10 * SECOND)
  })

  const iso = (ms: number) => new Date(ms).toISOString()
  const head = () => ({ batch_id: randomUUID(), sent_at: iso(backend.clock.now()), agent_version: '0.1.0' })
  const samplesAt = (...ats: number[]) => ats.map((at, index) => ({ at: iso(at), cpu: { percent: index + 1 } }))
  const push = (body: unknown, as: object = server.as, headers = {}) =>
    backend.call('POST', '/v1/agent/metrics', { as, body, headers })
  const rows = async () => {
    const { rows } = await backend.pool.pg.query(
      'select count(*)::int as n, coalesce(sum(samples), 0)::int as samples from metric_push p join server s on s.number = p.server where s.token_hash = (select token_hash from server order by number desc limit 1)',
    )
    return rows[0] as { n: number; samples: number }
  }

  it('stores samples by rows and answers counts, the time and the intervals [PUSH-01, PUSH-03]', async () => {
    const now = backend.clock.now()
    const { status, body } = await push({ ...head(), samples: samplesAt(now - 20_000, now - 10_000, now) })
    expect(status).toBe(202)
    expect(body).toEqual({
      accepted: 3,
      duplicates: 0,
      rejected: [],
      server_time: iso(now),
      sample_interval_seconds: 10,
      push_interval_seconds: 60,
    })
    expect(await rows()).toEqual({ n: 1, samples: 3 })
  })

  it('takes the same by columns for the same batch [PUSH-04, PUSH-21]', async () => {
    const now = backend.clock.now()
    const columns = { at_ms: [now - 10_000, now], cpu: { percent: [1, 2], load_1: [null, 0.5] } }
    expect((await push({ ...head(), columns })).body).toMatchObject({ accepted: 2, duplicates: 0 })
    const samples = [
      { at: iso(now - 10_000), cpu: { percent: 1, load_1: null } },
      { at: iso(now), cpu: { percent: 2, load_1: 0.5 } },
    ]
    expect((await push({ ...head(), samples })).body).toMatchObject({ accepted: 0, duplicates: 2 })
    expect(await rows()).toEqual({ n: 1, samples: 2 })
  })

  it('counts a batch that is sent again as duplicates, also twenty times at once, also twice in one request [PUSH-16, PUSH-22, PUSH-30]', async () => {
    const batch = { ...head(), samples: samplesAt(backend.clock.now()) }
    const answers = await Promise.all(Array.from({ length: 20 }, () => push(batch)))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(202))
    expect(answers.reduce((sum, { body }) => sum + body.accepted, 0)).toBe(1)
    expect(answers.reduce((sum, { body }) => sum + body.duplicates, 0)).toBe(19)
    const other = { ...head(), samples: samplesAt(backend.clock.now() - 5_000) }
    expect((await push({ batches: [other, other] })).body).toMatchObject({ accepted: 1, duplicates: 1 })
    expect(await rows()).toEqual({ n: 2, samples: 2 })
  })

  it('recognises a batch for a day and more, across midnight [PUSH-23]', async () => {
    const batch = { ...head(), samples: samplesAt(backend.clock.now()) }
    expect((await push(batch)).body).toMatchObject({ accepted: 1 })
    backend.clock.advance(DAY)
    expect((await push(batch)).body).toMatchObject({ accepted: 0, duplicates: 1 })
  })

  it('takes several batches and gzip in one request [PUSH-05, PUSH-13, PUSH-30]', async () => {
    const now = backend.clock.now()
    const batches = Array.from({ length: 60 }, (_, index) => ({
      ...head(),
      samples: samplesAt(now - index * 60_000, now - index * 60_000 - 10_000),
    }))
    const { status, body } = await push(gzipSync(JSON.stringify({ batches })), server.as, { 'content-encoding': 'gzip' })
    expect([status, body.accepted]).toEqual([202, 120])
    expect((await rows()).samples).toBe(120)
  })

  it('takes the binary form, also by gzip, which it offers in the answer to JSON, as the same samples [PUSH-36]', async () => {
    const now = backend.clock.now()
    const columns = { atMs: Float64Array.of(now - 10_000, now), fieldIds: [1], values: Float64Array.of(100, 250) }
    const state = { filesystems: [{ mount: '/', fs_type: 'ext4', used_bytes: 5, total_bytes: 10, percent: 50 }] }
    const bytes = encodeBinaryPush({ boot_id: 'b' }, [encodeBinaryBatch({ ...head(), ...state }, columns)])
    const type = { 'content-type': BINARY_PUSH_TYPE }
    const plain = await push(bytes, server.as, type)
    expect([plain.status, plain.body, plain.headers['accept']]).toMatchObject([202, { accepted: 2, duplicates: 0 }, undefined])
    const zipped = await push(gzipSync(bytes), server.as, { ...type, 'content-encoding': 'gzip' })
    expect([zipped.status, zipped.body]).toMatchObject([202, { accepted: 0, duplicates: 2 }])
    const json = await push({ ...head(), columns: { at_ms: [...columns.atMs], cpu: { percent: [1, 2.5] } } })
    expect(json.body).toMatchObject({ accepted: 0, duplicates: 2 })
    expect(json.headers['accept']).toBe(`${BINARY_PUSH_TYPE}, application/json`)
    expect(await rows()).toEqual({ n: 1, samples: 2 })
    const viewer = await backend.apiKey(organization, 'read')
    const { body: read } = await backend.call('GET', `/v1/servers/${server.id}/metrics?metrics=disk&by=mount&period=1h`, {
      as: viewer,
    })
    expect(read.by_mount).toMatchObject([{ mount: '/', used_bytes: 5 }])
  })

  it('refuses what is none of it with the path, and takes it nowhere else', async () => {
    const type = { 'content-type': BINARY_PUSH_TYPE }
    const cut = await push(Buffer.from('0105', 'hex'), server.as, type)
    expect([cut.status, cut.body.error.details]).toEqual([400, [{ path: '', message: 'body is cut off' }]])
    const facts = await backend.call('PUT', '/v1/agent/facts', { as: server.as, body: Buffer.from('{}'), headers: type })
    expect([facts.status, facts.body.error.code]).toEqual([415, 'unsupported_media_type'])
  })

  it('cuts a batch at the hour, whole or not at all [PUSH-16]', async () => {
    const hour = Math.floor(backend.clock.now() / HOUR) * HOUR
    const batch = { ...head(), samples: samplesAt(hour - 20_000, hour - 10_000, hour, hour + 10_000) }
    expect((await push(batch)).body).toMatchObject({ accepted: 4, duplicates: 0 })
    expect(await rows()).toEqual({ n: 2, samples: 4 })
    expect((await push(batch)).body).toMatchObject({ accepted: 0, duplicates: 4 })
  })

  it('refuses samples that are too old or too far ahead one by one, and keeps the others [PUSH-24, PUSH-25, PUSH-29]', async () => {
    const now = backend.clock.now()
    const ahead = await push({ ...head(), samples: samplesAt(now, now + 300_000, now + 300_001) })
    expect(ahead.status).toBe(202)
    expect(ahead.body.accepted).toBe(2)
    expect(ahead.body.rejected).toEqual([
      { batch: 0, index: 2, code: 'too_far_ahead', message: "at is too far ahead of the backend's clock" },
    ])
    const old = await push({
      batches: [
        { ...head(), samples: samplesAt(now - 10_000) },
        { ...head(), samples: samplesAt(now - 8 * DAY - 1, now - 8 * DAY) },
      ],
    })
    expect(old.body).toMatchObject({ accepted: 2, rejected: [{ batch: 1, index: 0, code: 'too_old' }] })
  })

  it('refuses samples with impossible values one by one, and keeps the others [PUSH-26, PUSH-27, PUSH-28]', async () => {
    const now = backend.clock.now()
    const samples = [
      { at: iso(now), cpu: { percent: 100 } },
      { at: iso(now - 1_000), cpu: { percent: 100.01 } },
      { at: iso(now - 2_000), cpu: { percent: -1 } },
      { at: iso(now - 3_000), network: { rx_bytes_per_sec: -0.001 } },
      { at: iso(now - 4_000), memory: { used_bytes: 2 ** 53 } },
      { at: iso(now - 5_000), cpu: { percent: 7 } },
    ]
    const text = JSON.stringify({ ...head(), samples }).replace('"percent":7', '"percent":1e999')
    const { status, body } = await push(text)
    expect(status).toBe(202)
    expect(body.accepted).toBe(1)
    const refused = body.rejected.map(({ index, code }: { index: number; code: string }) => [index, code])
    expect(refused).toEqual([1, 2, 3, 4, 5].map((index) => [index, 'invalid_value']))
  })

  it('answers 202 to a push whose every sample is refused, if its token lives', async () => {
    const body = { ...head(), samples: samplesAt(backend.clock.now() + HOUR) }
    expect((await push(body)).body).toMatchObject({ accepted: 0, duplicates: 0, rejected: [{ batch: 0, index: 0 }] })
    const owner = await backend.member(organization, 'owner')
    await backend.call('POST', `/v1/servers/${server.id}/regenerate-token`, { as: owner })
    expect((await push(body)).status).toBe(401)
  })

  it('refuses a dead token before the form of what it sends [ERROR-24]', async () => {
    expect((await push({})).status).toBe(400)
    const owner = await backend.member(organization, 'owner')
    await backend.call('POST', `/v1/servers/${server.id}/regenerate-token`, { as: owner })
    expect((await push({})).status).toBe(401)
  })

  it.each([
    [{}, 'batch_id'],
    [{ samples: [] }, 'samples'],
    [{ samples: Array.from({ length: 1_001 }, () => ({ at: '2026-11-20T18:00:00Z' })) }, 'samples'],
    [{ samples: [{ at: 'noon' }] }, 'samples.0.at'],
    [{ samples: [{ at: '2026-11-20T18:00:00Z', cpu: { percent: '5' } }] }, 'samples.0.cpu.percent'],
    [{ samples: [{ at: '2026-11-20T18:00:00Z', cpu: 5 }] }, 'samples.0.cpu'],
    [{ samples: [{ at: '2026-11-20T18:00:00Z' }], columns: { at_ms: [1] } }, ''],
    [{ columns: { at_ms: [1_763_661_600_000], cpu: { percent: [1, 2] } } }, 'columns.cpu.percent'],
    [{ columns: { at_ms: [1.5] } }, 'columns.at_ms'],
    [{ batches: [] }, 'batches'],
    [{ batches: Array.from({ length: 61 }, () => ({})) }, 'batches'],
    [{ samples: [{ at: '2026-11-20T18:00:00Z' }], agent_version: 7 }, 'agent_version'],
    [{ samples: [{ at: '2026-11-20T18:00:00Z' }], boot_id: 'a\0b' }, 'boot_id'],
  ])(
    'refuses a push whole that is wrong in form, names the place, stores nothing: %j [PUSH-03, PUSH-05, PUSH-10]',
    async (change, path) => {
      const { status, body } = await push(Object.keys(change).length === 0 ? {} : { ...head(), ...change })
      expect(status).toBe(400)
      expect(body.error.code).toBe('validation_error')
      expect(body.error.details.map((detail: { path: string }) => detail.path)).toContain(path)
      expect(await rows()).toEqual({ n: 0, samples: 0 })
    },
  )

  it('refuses a batch that spans more than 24 hours whole [PUSH-11]', async () => {
    const now = backend.clock.now()
    expect((await push({ ...head(), samples: samplesAt(now - DAY, now) })).status).toBe(202)
    const { status, body } = await push({ ...head(), samples: samplesAt(now - DAY - 1, now) })
    expect([status, body.error.message]).toEqual([400, expect.stringMatching(/24 hours/)])
  })

  it('ignores unknown fields of a newer agent [WIRE-17]', async () => {
    const body = {
      ...head(),
      mood: 'good',
      samples: [{ at: iso(backend.clock.now()), cpu: { percent: 1, from_the_future: 2 }, gpu: { percent: 3 } }],
    }
    expect((await push(body)).body).toMatchObject({ accepted: 1 })
  })

  const named = () => ({ ...head(), samples: samplesAt(backend.clock.now()), server_id: server.id })

  it('takes an API key of scope agent or admin, and no other key and no user [ACCESS-18, ACCESS-23]', async () => {
    expect((await push(named(), await backend.apiKey(organization, 'agent'))).body).toMatchObject({ accepted: 1 })
    expect((await push(named(), await backend.apiKey(organization, 'admin'))).body).toMatchObject({ duplicates: 1 })
    expect((await push(named(), await backend.apiKey(organization, 'read', 'write'))).status).toBe(403)
    expect((await push(named(), await backend.member(organization, 'owner'))).status).toBe(403)
    expect((await push(named(), {})).status).toBe(401)
  })

  it('requires of an API key the id of a server of its organization [PUSH-31, WIRE-18]', async () => {
    const agent = await backend.apiKey(organization, 'agent')
    const { server_id: _id, ...nameless } = named()
    const missing = await push(nameless, agent)
    expect([missing.status, missing.body.error.details[0].path]).toEqual([400, 'server_id'])
    const foreign = await backend.server(await backend.organization('Other'))
    const answers = []
    for (const server_id of [foreign.id, 'srv_01h455vb4pex5vsknk084sn02q', 'nonsense', server.id.toUpperCase()]) {
      const { status, body: answer } = await push({ ...named(), server_id }, agent)
      answers.push([status, answer.error.details])
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]).toEqual([400, [{ path: 'server_id', message: 'is not a server of this organization' }]])
  })

  it("takes a server's token for its own server only [PUSH-32]", async () => {
    const other = await backend.server(organization)
    const body = { ...head(), samples: samplesAt(backend.clock.now()) }
    expect((await push({ ...body, server_id: server.id })).status).toBe(202)
    expect((await push({ ...body, server_id: other.id })).status).toBe(403)
  })

  it('is refused for another organization, also with a cached token; a dead token stays a 401 [ACCESS-30]', async () => {
    const [own, other] = [await backend.organization('Own'), await backend.organization('Other')]
    const { as, id } = await backend.server(own)
    const status = async (organizationId: string) => {
      backend.clock.advance(1_000)
      const body = { ...head(), samples: samplesAt(backend.clock.now()) }
      return (await backend.call('POST', '/v1/agent/metrics', { as, body, headers: { 'x-organization-id': organizationId } }))
        .status
    }
    expect([await status(other.id), await status(own.id), await status(other.id), await status('')]).toEqual([403, 202, 403, 403])
    const boss = await backend.member(own, 'owner')
    await backend.call('POST', `/v1/servers/${id}/regenerate-token`, { as: boss })
    expect([await status(other.id), await status(own.id), await status(other.id)]).toEqual([401, 401, 401])
  })

  it('knows a cloned machine by a boot id that comes back [ERROR-13, PUSH-09]', async () => {
    const send = async (boot_id: string) => {
      backend.clock.advance(1_000)
      return (await push({ ...head(), boot_id, samples: samplesAt(backend.clock.now()) })).status
    }
    expect([await send('boot-a'), await send('boot-a'), await send('boot-b'), await send('boot-b')]).toEqual([202, 202, 202, 202])
    const before = await rows()
    expect([await send('boot-a'), await send('boot-a')]).toEqual([409, 409])
    expect(await rows()).toEqual(before)
    expect([await send('boot-b'), await send('boot-c')]).toEqual([202, 202])
    const events = await backend.pool.db
      .selectFrom('event')
      .select(['type', 'details'])
      .where('type', '=', 'agent.cloned')
      .execute()
    expect(events).toEqual([{ type: 'agent.cloned', details: { boot_id: 'boot-a' } }])
    const as = await backend.apiKey(organization, 'admin')
    const clones = async (path: string, list: string, key: string) =>
      (await backend.call('GET', path, { as })).body[list].filter(
        (entry: Record<string, unknown>) => entry[key] === 'agent.cloned',
      )
    expect(await clones('/v1/overview', 'changes', 'type')).toMatchObject([
      { data: { server: { id: server.id, name: expect.any(String) } } },
    ])
    expect(await clones('/v1/audit-events', 'audit_events', 'action')).toMatchObject([
      { actor: { type: 'system' }, target: { type: 'server', id: server.id }, details: { boot_id: 'boot-a' } },
    ])
  })

  it.each(['its token is replaced', 'its key is revoked'])(
    'takes nothing for stored when %s after its first statement [PUSH-02]',
    async (fault) => {
      const isKey = fault === 'its key is revoked'
      const as = isKey ? await backend.apiKey(organization, 'agent') : server.as
      const id = parseId('server', server.id)
      const kill = isKey
        ? `with dead as (update api_key set revoked_at = now()) select from server where id = '${id}' for update`
        : `update server set token_hash = '\\x00' where id = '${id}'`
      // A boot that is not known is claimed by a transaction of its own, and waits for this one.
      const hold = await holdBy(backend.databaseUrl, kill)
      const body = { ...head(), boot_id: 'first', samples: samplesAt(backend.clock.now()) }
      const pushed = push({ ...body, ...(isKey && { server_id: server.id }) }, as)
      await hold.untilWaiting(1, pushed)
      await hold.release()
      expect((await pushed).status).toBe(401)
      expect((await rows()).n).toBe(0)
    },
  )

  it('is limited per server [LIMIT-05, LIMIT-22]', async () => {
    const limited = await startTestBackend({ environment: { VEDETTE_RATE_LIMITS: 'agent=2' } })
    const { as } = await limited.server(await limited.organization())
    const statuses = []
    for (let count = 0; count < 3; count += 1) {
      statuses.push(
        (
          await limited.call('POST', '/v1/agent/metrics', {
            as,
            body: { ...head(), samples: samplesAt(limited.clock.now() - count) },
          })
        ).status,
      )
    }
    expect(statuses).toEqual([202, 202, 429])
    await limited.close()
  })

  it('makes the partition that is missing rather than lose a push', async () => {
    backend.clock.advance(30 * DAY)
    expect((await push({ ...head(), samples: samplesAt(backend.clock.now()) })).body).toMatchObject({ accepted: 1 })
  })
})
