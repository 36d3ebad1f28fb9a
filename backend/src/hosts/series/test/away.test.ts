import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { holdBy } from '../../../../test/database-locks.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../../../../test/database-proxy.ts'
import { writeRequest } from '../../../../test/write-request.ts'

/** Senders throw a batch away at any answer of 4xx but 429. */

let direct: TestBackend
let proxy: DatabaseProxy
let backend: TestBackend
let as: Credentials
beforeAll(async () => {
  direct = await startTestBackend({ throughProxy: false })
  proxy = await startDatabaseProxy(direct.databaseUrl)
  backend = await startTestBackend({ databaseUrl: proxy.url, clock: direct.clock, throughProxy: false, requestLimitMs: 1_000 })
  as = await direct.apiKey(await direct.organization(), 'ingest')
  await write('known', 0)
})
afterAll(async () => {
  await backend.close()
  proxy.close()
  await direct.close()
})

let sent = 0
const write = (series: string, value: number) =>
  backend.call('POST', '/v1/prometheus/api/v1/write', {
    as,
    headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' },
    body: writeRequest([{ labels: { __name__: 'written', series }, samples: [[backend.clock.now() - 60_000 + ++sent, value]] }]),
  })
const otlp = (series: string) =>
  backend.call('POST', '/v1/otlp/v1/metrics', {
    as,
    headers: { 'content-type': 'application/json' },
    body: {
      resourceMetrics: [
        {
          scopeMetrics: [
            {
              metrics: [{ name: series, gauge: { dataPoints: [{ timeUnixNano: `${backend.clock.now()}000000`, asInt: '1' }] } }],
            },
          ],
        },
      ],
    },
  })

const FAULTS: [what: string, begin: () => unknown, end: () => unknown][] = [
  ['has no disk left (53100)', () => proxy.raise('53100'), () => proxy.raise(undefined)],
  ['cancels statements (57014)', () => proxy.raise('57014'), () => proxy.raise(undefined)],
  ['only reads (25006)', () => proxy.raise('25006'), () => proxy.raise(undefined)],
]

it.each(FAULTS)('answers 503 with Retry-After while the database %s, and takes the same afterwards', async (what, begin, end) => {
  await begin()
  const answers = [await write('known', 1), await write(`new ${what}`, 1), await otlp(`new ${what}`)]
  await end()
  expect(answers.map(({ status, headers }) => [status, Number(headers['retry-after']) > 0])).toEqual(
    Array.from({ length: 3 }, () => [503, true]),
  )
  await expect.poll(async () => [(await write('known', 1)).status, (await write(`new ${what}`, 1)).status]).toEqual([204, 204])
  expect((await otlp(`new ${what}`)).status).toBe(200)
})

it.each(['series_push', 'received_series'])('answers 503 where a statement waits too long for %s', async (table) => {
  const hold = await holdBy(direct.databaseUrl, `lock table ${table} in access exclusive mode`)
  const answer = await write(`behind ${table}`, 1)
  await hold.release()
  expect([answer.status, Number(answer.headers['retry-after']) > 0]).toEqual([503, true])
  await expect.poll(async () => (await write(`behind ${table}`, 1)).status).toBe(204)
})
