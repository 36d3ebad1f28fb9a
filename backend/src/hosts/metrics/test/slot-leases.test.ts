import { randomUUID } from 'node:crypto'
import { MAX_DIMENSIONS } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { parseId } from '../../../platform/ids.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { compactSamples, keepPartitions } from '../index.ts'

const DAY = 86_400_000
const RETENTION_DAYS = 31
/** Longer than a slot stays its name's after its last sample. */
const LEASE_DAYS = RETENTION_DAYS + 45

type Server = Awaited<ReturnType<TestBackend['server']>>

let backend: TestBackend
let other: TestBackend
let organization: TestOrganization
let viewer: Credentials
beforeAll(async () => {
  const environment = { VEDETTE_RAW_RETENTION_DAYS: '30', VEDETTE_ROLLUP_RETENTION_DAYS: '31' }
  backend = await startTestBackend({ environment, startMs: Date.parse('2026-06-01T12:00:00.000Z') })
  other = await startTestBackend({ environment, databaseUrl: backend.databaseUrl, clock: backend.clock })
  organization = await backend.organization()
  viewer = await backend.apiKey(organization, 'read')
})
afterAll(async () => {
  await other.close()
  await backend.close()
})

async function push(server: Server, names: readonly string[], rate: number, on = backend): Promise<void> {
  const at = new Date(backend.clock.now()).toISOString()
  const interfaces = names.map((name) => ({ name, rx_bytes_per_sec: rate, tx_bytes_per_sec: 1 }))
  const body = { batch_id: randomUUID(), sent_at: at, agent_version: '1', samples: [{ at, cpu: { percent: 5 } }], interfaces }
  expect((await on.call('POST', '/v1/agent/metrics', { as: server.as, body })).status).toBe(202)
}

/** Days pass, and are compacted. */
async function passDays(days: number): Promise<void> {
  backend.clock.advance(days * DAY)
  await keepPartitions(backend.pool.db, silentLog, backend.clock.now(), backend.settings.retention)
  await compactSamples(backend.pool, backend.clock)
}

/** The names that have samples in the last days, with their mean. */
async function ratesOf(server: Server, days: number): Promise<Map<string, number>> {
  const to = backend.clock.now() + 60_000
  const range = `from=${new Date(to - days * DAY).toISOString()}&to=${new Date(to).toISOString()}`
  const path = `/v1/servers/${server.id}/metrics?metrics=network&by=interface&${range}`
  const { status, body } = await backend.call('GET', path, { as: viewer })
  expect(status).toBe(200)
  const items = body.by_interface as { name: string; rx_bytes_per_sec: number | null }[]
  return new Map(items.flatMap(({ name, rx_bytes_per_sec: rate }) => (rate === null ? [] : [[name, rate]])))
}

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`)

/** What happens to a host. It yields how many days pass. */
type Scenario = (server: Server) => AsyncGenerator<number, void>

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'are given to other names when no sample of theirs can be read any more, and show no value of another': async function* (
    server,
  ) {
    const former = names('veth-a', MAX_DIMENSIONS - 1)
    await push(server, ['eth0', ...former], 10)
    yield 1
    await push(server, ['eth0', 'veth-b'], 20)
    const { body } = await backend.call('GET', `/v1/servers/${server.id}/metrics?metrics=network&by=interface&period=1h`, {
      as: viewer,
    })
    expect(body.others).toBe(1)
    // eth0 is seen each month; the others never again.
    for (let days = 1; days < LEASE_DAYS; days += 25) {
      yield 25
      await push(server, ['eth0'], 30)
    }
    yield 1
    const latter = names('veth-c', MAX_DIMENSIONS - 1)
    await push(server, ['eth0', ...latter], 40)
    yield 1
    await push(server, ['eth0', ...latter], 41)
    const rates = await ratesOf(server, 2)
    expect([...rates.keys()].toSorted()).toEqual(['eth0', ...latter].toSorted())
    expect([...(await ratesOf(server, RETENTION_DAYS)).keys()].filter((name) => former.includes(name))).toEqual([])
  },

  'stay those of names that have samples within the retention, although they are gone': async function* (server) {
    const former = names('veth-d', MAX_DIMENSIONS)
    await push(server, former, 10)
    yield RETENTION_DAYS - 2
    await push(server, names('veth-e', 5), 20)
    const rates = await ratesOf(server, RETENTION_DAYS)
    expect([...rates.keys()].toSorted()).toEqual(former.toSorted())
    expect(new Set(rates.values())).toEqual(new Set([10]))
  },

  'are written by no instance that had them cached when another name has taken them': async function* (server) {
    const former = names('veth-f', MAX_DIMENSIONS)
    await push(server, former, 10)
    await push(server, former, 11, other)
    yield LEASE_DAYS
    await push(server, names('veth-g', MAX_DIMENSIONS), 20)
    yield 1
    // The other instance has the slots of the former names still in memory.
    await push(server, ['veth-f0', 'veth-g0'], 30, other)
    const rates = await ratesOf(server, 1)
    expect([rates.get('veth-f0'), rates.get('veth-g0')]).toEqual([undefined, 30])
    expect([...rates.values()].filter((rate) => rate === 30)).toHaveLength(1)
  },

  'stay a name’s own when it comes back before another one takes them': async function* (server) {
    await push(server, ['eth0', 'wg0'], 10)
    yield LEASE_DAYS
    await push(server, ['wg0', 'eth0'], 20)
    const { rows } = await backend.pool.pg.query<{ name: string; slot: number }>(
      'select name, slot from metric_dimension join server on server.number = server where server.id = $1 order by slot',
      [parseId('server', server.id)],
    )
    expect(rows.map(({ name }) => name)).toEqual(['eth0', 'wg0'])
    expect(await ratesOf(server, 1)).toEqual(
      new Map([
        ['eth0', 20],
        ['wg0', 20],
      ]),
    )
  },
}

describe('the slots of a host whose interfaces come and go', () => {
  /** The error of each that failed. */
  const errors = new Map<string, unknown>()
  // The days pass for all hosts at once.
  beforeAll(async () => {
    let running = await Promise.all(
      Object.entries(SCENARIOS).map(async ([title, scenario]) => ({
        title,
        steps: scenario(await backend.server(organization)),
        days: 0,
      })),
    )
    while (running.length > 0) {
      const days = Math.min(...running.map((one) => one.days))
      if (days > 0) await passDays(days)
      for (const one of running) {
        one.days -= days
        if (one.days > 0) continue
        const step = await one.steps.next().catch((error: unknown) => void errors.set(one.title, error))
        one.days = step?.done === false ? step.value : Number.POSITIVE_INFINITY
      }
      running = running.filter((one) => Number.isFinite(one.days))
    }
  })

  it.each(Object.keys(SCENARIOS))('%s', (title) => expect(errors.get(title)).toBeUndefined())
})
