import { DAY_MS } from '@vedette/shared'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { holdBy } from '../../../../test/database-locks.ts'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { inTransaction } from '../../../platform/db/index.ts'
import { compactSeries } from '../compact.ts'
import { insertChunks, lockMerge, takeChunks } from '../storage/chunk-store.ts'
import { encodeChunk } from '../storage/chunk.ts'
import { writeRequest } from '../../../../test/write-request.ts'

let backend: TestBackend
let organization: TestOrganization
let as: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  as = await backend.apiKey(organization, 'ingest')
})
afterAll(() => backend.close())

it('leaves one row of a day where a late sample comes while another process merges it', async () => {
  const { clock, pool } = backend
  const dayMs = Math.ceil(clock.now() / DAY_MS) * DAY_MS
  clock.advance(dayMs + DAY_MS / 2 - clock.now())
  const answer = await backend.call('POST', '/v1/prometheus/api/v1/write', {
    as,
    headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' },
    body: writeRequest([{ labels: { __name__: 'merged', job: 'j' }, samples: [[dayMs + 1_000, 1]] }]),
  })
  expect(answer.status).toBe(204)
  clock.advance(2 * 3_600_000)
  await compactSeries(pool.db, clock)
  clock.advance(DAY_MS)
  const { rows } = await pool.pg.query('select target, series from series_chunk where organization = $1', [organization.number])
  const [{ target, series }] = rows
  const [own, day] = [{ organization: organization.number, target }, new Date(dayMs).toISOString().slice(0, 10)]
  const rowOf = (atMs: number[]) => ({
    series,
    tFirst: atMs[0] as number,
    tLast: atMs.at(-1) as number,
    samples: atMs.length,
    data: encodeChunk({ atMs: Float64Array.from(atMs), values: Float64Array.from(atMs, () => 1) }),
  })
  const watch = await holdBy(backend.databaseUrl, 'select 1')
  let other: Promise<void> | undefined
  await inTransaction(pool.db, async (db) => {
    await lockMerge(db, own)
    expect(await takeChunks(db, { ...own, day }, 10)).toHaveLength(1)
    await insertChunks(pool.db, own, [rowOf([dayMs + 2_000])], { storedAtMs: clock.now(), isMerged: false })
    other = compactSeries(pool.db, clock)
    await watch.untilWaiting(1, other)
    await insertChunks(db, own, [rowOf([dayMs + 1_000])], { storedAtMs: clock.now(), isMerged: true })
  })
  await other
  await watch.release()
  const left = await pool.pg.query('select samples, is_merged from series_chunk where organization = $1', [organization.number])
  expect(left.rows).toEqual([{ samples: 2, is_merged: true }])
})
