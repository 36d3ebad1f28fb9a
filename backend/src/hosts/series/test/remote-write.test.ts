import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { writeRequest, type WrittenSeries } from '../../../../test/write-request.ts'

let backend: TestBackend
let organization: TestOrganization
let writer: Credentials
let reader: Credentials
beforeAll(async () => {
  backend = await startTestBackend({ environment: { VEDETTE_ACTIVE_SERIES: '20' } })
  organization = await backend.organization()
  writer = await backend.apiKey(organization, 'ingest')
  reader = await backend.apiKey(organization, 'read')
})
afterAll(() => backend.close())

const HOUR = 3_600_000
const now = () => backend.clock.now()
const send = (body: Buffer, as: Credentials = writer, headers: Record<string, string> = {}) =>
  backend.call('POST', '/v1/prometheus/api/v1/write', {
    as,
    body,
    headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy', ...headers },
  })
const write = (series: readonly WrittenSeries[], as?: Credentials) => send(writeRequest(series), as)
const up = (instance: string, samples: WrittenSeries['samples'], name = 'up') => ({
  labels: { __name__: name, job: 'node', instance },
  samples,
})
const query = async (path: string, parameters: Record<string, string | number>, as = reader) => {
  const search = new URLSearchParams(parameters as Record<string, string>).toString()
  const { status, body } = await backend.call('GET', `/v1/prometheus/api/v1/${path}?${search}`, { as })
  expect([status, body.error]).toEqual([200, undefined])
  return body.data
}
const values = async (selector: string, range = '400d', as = reader): Promise<Record<string, [number, string][]>> => {
  const { result } = await query('query', { query: `${selector}[${range}]`, time: now() / 1_000 }, as)
  return Object.fromEntries(
    result.map(({ metric, values: own }: { metric: { instance: string }; values: [number, string][] }) => [metric.instance, own]),
  )
}
const accepted = async (series: readonly WrittenSeries[]) => {
  const { status, body } = await write(series)
  expect([status, body]).toEqual([204, undefined])
}
const seconds = (ms: number) => ms / 1_000
const stored = async (table: string): Promise<number> => {
  const { rows } = await backend.pool.pg.query(`select count(*)::int as count from ${table} where organization = $1`, [
    organization.number,
  ])
  return rows[0].count
}

describe('remote write', () => {
  it('answers 204 once the samples can be read', async () => {
    const at = now() - 30_000
    const answer = await write([
      up('a:1', [[at, 1]]),
      up('b:1', [
        [at, 0.25],
        [at + 10_000, 1e-9],
      ]),
    ])
    expect([answer.status, answer.body]).toEqual([204, undefined])
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('x-prometheus'))).toEqual([])
    expect(await values('up{job="node"}')).toEqual({
      'a:1': [[seconds(at), '1']],
      'b:1': [
        [seconds(at), '0.25'],
        [seconds(at + 10_000), '1e-09'],
      ],
    })
    expect(await query('series', { 'match[]': '{instance="a:1"}' })).toEqual([{ __name__: 'up', job: 'node', instance: 'a:1' }])
    expect(await query('label/instance/values', { 'match[]': 'up' })).toEqual(['a:1', 'b:1'])
  })

  it('stores the same request once, and of two values at one instant the first', async () => {
    const before = await stored('series_push')
    const at = now() - 20_000
    const series = [up('twice:1', [[at, 5]])]
    for (let times = 0; times < 3; times++) await accepted(series)
    backend.clock.advance(1)
    await accepted([
      up('twice:1', [
        [at, 6],
        [at + 1, 7],
      ]),
    ])
    expect(await stored('series_push')).toBe(before + 2)
    expect(await values('up{instance="twice:1"}')).toEqual({
      'twice:1': [
        [seconds(at), '5'],
        [seconds(at + 1), '7'],
      ],
    })
  })

  it('keeps every sample through the hour, the day, and what comes late', async () => {
    const start = Math.ceil(now() / (24 * HOUR)) * 24 * HOUR
    const expected: [number, string][] = []
    const sendAt = async (instants: number[]) => {
      await accepted([
        up(
          'kept:1',
          instants.map((at) => [at, at % 1_009]),
        ),
      ])
      expected.push(...instants.map((at): [number, string] => [seconds(at), String(at % 1_009)]))
      expected.sort(([one], [other]) => one - other)
    }
    const check = async () => expect((await values('up{instance="kept:1"}'))['kept:1']).toEqual(expected)
    const compact = () => backend.jobs.compactSeries()
    const to = (ms: number) => backend.clock.advance(ms - now())

    to(start + 2 * HOUR - 1_000)
    await sendAt([start + HOUR - 1, start + HOUR, start + HOUR + 15_000])
    to(start + 2 * HOUR + 3 * 60_000)
    await compact()
    await check()
    await sendAt([start + HOUR + 7_500, start + 2 * HOUR + 1])
    await check()
    to(start + 27 * HOUR)
    await compact()
    await check()
    await sendAt([start + 5, start + 26 * HOUR])
    await check()
    await compact()
    await check()
    to(start + 60 * HOUR)
    await compact()
    await check()
    const { rows } = await backend.pool.pg.query(
      'select is_merged, count(*)::int as rows from series_chunk where organization = $1 group by 1',
      [organization.number],
    )
    expect(rows.every(({ is_merged: merged }) => merged)).toBe(true)
  })

  it('lists types and help of names next to our own', async () => {
    expect((await send(writeRequest([], [{ name: 'http_requests', help: 'Requests' }]))).status).toBe(204)
    const all = await query('metadata', {})
    expect(all.http_requests).toEqual([{ type: 'counter', help: 'Requests', unit: '' }])
    expect(all.node_load1).toHaveLength(1)
  })

  it('is stale where a stale marker stands', async () => {
    const at = now() - 60_000
    const stale = new Float64Array(new BigUint64Array([0x7ff0000000000002n]).buffer)
    const body = writeRequest([up('gone:1', [[at, 1]])])
    await accepted([up('gone:1', [[at, 1]])])
    expect((await query('query', { query: 'up{instance="gone:1"}', time: now() / 1_000 })).result).toHaveLength(1)
    // Its last eight bytes before the instant are the value.
    const marked = writeRequest([up('gone:1', [[at + 15_000, 0]])])
    marked.set(new Uint8Array(stale.buffer), marked.length - 15)
    expect(body).toHaveLength(marked.length)
    expect((await send(marked)).status).toBe(204)
    expect((await query('query', { query: 'up{instance="gone:1"}', time: now() / 1_000 })).result).toEqual([])
  })

  it('takes what it can, and says what it cannot take', async () => {
    const [early, late] = [now() - 9 * 24 * HOUR, now() + 6 * 60_000]
    const answer = await write([
      up('times:1', [
        [early, 1],
        [now(), 2],
        [late, 3],
      ]),
    ])
    expect([answer.status, answer.body.error]).toMatchObject([
      400,
      {
        code: 'validation_error',
        message:
          '1 samples are stored, and 2 are not: 1 older than 8 days; 1 more than 5 minutes ahead of the clock of the backend.',
      },
    ])
    expect((await values('up{instance="times:1"}'))['times:1']).toEqual([[seconds(now()), '2']])
  })

  it.each<[string, () => Promise<{ status: number; body: { error: { code: string; message: string } } }>, number, string]>([
    [
      'another message',
      () => send(writeRequest([]), writer, { 'content-type': 'application/x-protobuf;proto=other' }),
      415,
      'prometheus.WriteRequest',
    ],
    ['another encoding', () => send(writeRequest([]), writer, { 'content-encoding': 'gzip' }), 415, 'send snappy'],
    ['another type', () => send(Buffer.from('{}'), writer, { 'content-type': 'text/plain' }), 415, ''],
    ['bytes that are no snappy', () => send(Buffer.from('nonsense')), 400, ''],
    [
      'a series without a name',
      () => write([{ labels: { job: 'x' }, samples: [[now(), 1]] }]),
      400,
      'labels: the label __name__ is missing',
    ],
    [
      'too many samples',
      () =>
        write([
          up(
            'many:1',
            Array.from({ length: 10_001 }, (_, index) => [now() - index, 1] as const),
          ),
        ]),
      400,
      '10000',
    ],
  ])('refuses %s', async (_, sending, status, words) => {
    const answer = await sending()
    expect(answer.status).toBe(status)
    expect(answer.body.error.message).toContain(words)
  })

  it('shows an organization what it has sent alone, also where labels are the same', async () => {
    const other = await backend.organization()
    const at = now() - 5_000
    await accepted([up('shared:1', [[at, 1]], 'tenants')])
    const elsewhere = await write([up('shared:1', [[at, 2]], 'tenants')], await backend.apiKey(other, 'ingest'))
    expect(elsewhere.status).toBe(204)
    expect(await values('tenants')).toEqual({ 'shared:1': [[seconds(at), '1']] })
    expect(await values('tenants', '1h', await backend.apiKey(other, 'read'))).toEqual({ 'shared:1': [[seconds(at), '2']] })
  })

  it('lets keys of agents and of series send, and these do nothing else', async () => {
    for (const [scope, status] of [
      ['agent', 204],
      ['admin', 204],
      ['read', 403],
      ['write', 403],
    ] as const)
      expect((await send(writeRequest([]), await backend.apiKey(organization, scope))).status).toBe(status)
    expect((await backend.call('GET', '/v1/prometheus/api/v1/labels', { as: writer })).status).toBe(403)
    expect((await send(writeRequest([]), {})).status).toBe(401)
  })

  it('refuses new series beyond the bound by name, and goes on with those that it has', async () => {
    const own = await backend.organization()
    const key = await backend.apiKey(own, 'ingest')
    const many = (from: number, to: number, name: string) =>
      Array.from({ length: to - from }, (_, index) => up(`${from + index}:1`, [[now(), 1]], name))
    expect((await write(many(0, 18, 'first'), key)).status).toBe(204)
    const over = await write([...many(0, 18, 'first'), ...many(0, 4, 'second')], key)
    expect([over.status, over.body.error.code]).toEqual([400, 'series_limit'])
    expect(over.body.error.message).toBe(
      '20 samples are stored, and 2 are not: 2 of new series: at most 20 may be active. New series by name: second 2.',
    )
    // Another instance counts the same.
    const second = await startTestBackend({
      databaseUrl: backend.databaseUrl,
      clock: backend.clock,
      environment: { VEDETTE_ACTIVE_SERIES: '20' },
    })
    const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' }
    const sendThere = (series: WrittenSeries[]) =>
      second.call('POST', '/v1/prometheus/api/v1/write', { as: key, body: writeRequest(series), headers })
    expect((await sendThere(many(0, 18, 'first'))).status).toBe(204)
    expect((await sendThere(many(5, 6, 'second'))).body.error.code).toBe('series_limit')
    // What is silent for two hours leaves room.
    backend.clock.advance(2 * HOUR + 60_001)
    expect((await sendThere(many(5, 6, 'second'))).status).toBe(204)
    expect((await write(many(0, 18, 'first'), key)).status).toBe(204)
    await second.close()
  })

  it('refuses a query over more samples than fit, before it reads them', async () => {
    const at = now() - 2 * 24 * HOUR
    await accepted([up('much:1', [[at, 1]], 'much')])
    await backend.jobs.compactSeries()
    await backend.pool.pg.query(
      `update series_chunk set samples = 20000000
       where series = (select number from received_series where organization = $1 and name = 'much')`,
      [organization.number],
    )
    const search = new URLSearchParams({ query: 'much[8d]', time: String(now() / 1_000) }).toString()
    const { status, body } = await backend.call('GET', `/v1/prometheus/api/v1/query?${search}`, { as: reader })
    expect([status, body.error]).toEqual([422, expect.stringContaining('would read 306 MiB, and 256 are the bound')])
  })

  it('makes a series again that was deleted while the process knew it', async () => {
    await accepted([up('again:1', [[now(), 1]], 'again')])
    await backend.pool.pg.query("delete from received_series where name = 'again'")
    backend.clock.advance(HOUR + 1)
    await accepted([up('again:1', [[now(), 2]], 'again')])
    expect(await values('again')).toEqual({ 'again:1': [[seconds(now()), '2']] })
  })

  it('keeps a day that is too long for one row', async () => {
    const from = Math.ceil(now() / (24 * HOUR)) * 24 * HOUR
    backend.clock.advance(from + 25 * HOUR - now())
    const samples = Array.from({ length: 10_000 }, (_, index) => [from + index * 8_000, index % 7] as const)
    await accepted([up('long:1', samples, 'long')])
    await backend.jobs.compactSeries()
    backend.clock.advance(2 * HOUR)
    await backend.jobs.compactSeries()
    const { rows } = await backend.pool.pg.query(
      `select samples, is_merged from series_chunk
       where series = (select number from received_series where name = 'long') order by t_first`,
    )
    expect(rows).toEqual([
      { samples: 8_000, is_merged: true },
      { samples: 2_000, is_merged: true },
    ])
    expect((await values('long'))['long:1']).toEqual(samples.map(([at, value]) => [seconds(at), String(value)]))
  })
})
