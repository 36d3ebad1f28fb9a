import { DAY_MS, HOUR_MS } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { writeRequest } from '../../../../test/write-request.ts'
import { findSeriesNumbers } from '../storage/series-store.ts'

const GENERATION = 20

let backend: TestBackend
let organization: TestOrganization
let as: Credentials
let reader: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  as = await backend.apiKey(organization, 'ingest')
  reader = await backend.apiKey(organization, 'read')
})
afterAll(() => backend.close())

const write = async (name: string, generation: number, atMs: number) => {
  const series = Array.from({ length: GENERATION }, (_, index) => ({
    labels: { __name__: name, job: 'j', id: `${generation}-${index}` },
    samples: [[atMs, index]] as [number, number][],
  }))
  const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' }
  const { status } = await backend.call('POST', '/v1/prometheus/api/v1/write', { as, body: writeRequest(series), headers })
  expect(status).toBe(204)
}

/** How many series are looked at for a window of a minute. */
const alive = async (name: string, atMs: number) => {
  const filter = { name, equal: {}, fromMs: atMs - 60_000, toMs: atMs + 1, limit: 1_000 }
  return (await findSeriesNumbers(backend.pool.db, organization.number, filter)).length
}
const count = async (query: string, atMs: number) => {
  const search = new URLSearchParams({ query: `count(${query})`, time: String(atMs / 1_000) }).toString()
  const { body } = await backend.call('GET', `/v1/prometheus/api/v1/query?${search}`, { as: reader })
  return Number(body.data.result[0]?.value[1] ?? 0)
}

describe('series that come and go', () => {
  it('are looked at on the days on which they lived, and not before or after', async () => {
    const instants: number[] = []
    for (let generation = 0; generation < 4; generation++) {
      instants.push(backend.clock.now())
      await write('daily', generation, backend.clock.now())
      backend.clock.advance(DAY_MS)
    }
    for (const atMs of instants) {
      expect(await alive('daily', atMs)).toBe(GENERATION)
      expect(await count('daily', atMs)).toBe(GENERATION)
    }
    // The index by days alone leaves out what ended before.
    const { rows } = await backend.pool.pg.query(
      `select count(*)::int as n from received_series where organization = $1 and name = 'daily' and last_day >= $2`,
      [organization.number, Math.floor((instants[3] as number) / DAY_MS)],
    )
    expect(rows).toEqual([{ n: GENERATION }])
  })

  it('of one hour are not looked at before their first samples, and only those with samples answer', async () => {
    const startMs = backend.clock.now()
    for (let generation = 0; generation < 4; generation++) {
      await write('short', generation, backend.clock.now())
      backend.clock.advance(10 * 60_000)
    }
    const numbers = [0, 1, 2, 3].map((generation) => startMs + generation * 10 * 60_000)
    for (const [generation, atMs] of numbers.entries()) {
      expect(await alive('short', atMs)).toBe((generation + 1) * GENERATION)
      expect(await count('short', atMs)).toBe(GENERATION)
      expect(await count('short{job="j",id!=""}', atMs)).toBe(GENERATION)
    }
    expect(await count('short{id="0-1"}', startMs)).toBe(1)
    expect(await count('short{id="0-1",id="0-2"}', startMs)).toBe(0)
    // The same from compacted hours.
    backend.clock.advance(2 * HOUR_MS)
    await backend.jobs.compactSeries()
    for (const atMs of numbers) expect(await count('short', atMs)).toBe(GENERATION)
  })

  it('of any name are read page by page, and those that match are kept', async () => {
    await backend.pool.pg.query(
      `insert into received_series (organization, target, hash, name, labels, first_seen, last_seen)
       select $1, 1, decode(md5(n::text), 'hex'), 'paged_' || n, jsonb_build_object('__name__', 'paged_' || n, 'id', n::text), $2, $2
       from generate_series(1, 20100) as n`,
      [organization.number, backend.clock.now()],
    )
    const search = new URLSearchParams({ 'match[]': '{__name__=~"paged_.*",id=~"1|777|20100"}' }).toString()
    const { body } = await backend.call('GET', `/v1/prometheus/api/v1/series?${search}`, { as: reader })
    expect(body.data.map(({ id }: { id: string }) => id).toSorted()).toEqual(['1', '20100', '777'])
  })

  it('are found by samples that come later and are older than all before', async () => {
    const nowMs = backend.clock.now()
    await write('late', 0, nowMs)
    for (const agoMs of [3 * HOUR_MS, 3 * HOUR_MS + 60_000, 2 * DAY_MS]) {
      expect(await count('late', nowMs - agoMs)).toBe(0)
      await write('late', 0, nowMs - agoMs)
      expect(await count('late', nowMs - agoMs)).toBe(GENERATION)
    }
  })
})
