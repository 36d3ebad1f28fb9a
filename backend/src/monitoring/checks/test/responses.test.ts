import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LOCAL_TARGETS } from '../../../../test/alert-fixture.ts'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { deleteOldResponses, readResponses, storeResponses } from '../results/response-store.ts'
import type { CompletedCheck } from '../results/completed-check.ts'
import { inconclusiveResult } from '../status/inconclusive.ts'
import { TEST_ENCRYPTER } from './workers.ts'

const DAY_MS = 86_400_000

let backend: TestBackend
let organization: number
beforeAll(async () => {
  backend = await startTestBackend({ environment: LOCAL_TARGETS })
  await backend.organization()
  organization = (await backend.pool.pg.query('select number from organization limit 1')).rows[0].number
})
afterAll(() => backend.close())

const check = (atMs: number, whole?: string): CompletedCheck => ({
  organization,
  monitor: 7,
  region: 1,
  fence: 1,
  endedAtMs: atMs,
  result: {
    ...inconclusiveResult('', new Date(atMs).toISOString()),
    outcome: 'down',
    answer: { status_line: 'HTTP/1.1 500', body: 'begin', ...(whole !== undefined && { whole }) },
  },
})
const kept = async () => (await backend.pool.pg.query('select at, body_encrypted as body from check_response order by at')).rows

describe('the response of a failed check that is kept whole', () => {
  const secret = 'a page of the shop '.repeat(200)

  it('is encrypted, opens for its own check alone, and is stored once', async () => {
    const now = Date.now()
    const { db } = backend.pool
    await storeResponses(db, TEST_ENCRYPTER, [check(now, secret), check(now - 1)])
    await storeResponses(db, TEST_ENCRYPTER, [check(now, secret)])
    const rows = await kept()
    expect(rows).toHaveLength(1)
    expect(rows[0].body.includes('a page of the shop')).toBe(false)
    const region = (await backend.pool.pg.query('select id from region where number = 1')).rows[0].id
    const read = (monitor: number, nowMs = now) =>
      readResponses(db, TEST_ENCRYPTER, { organization, monitor }, [{ region, at: now }], nowMs)
    expect(await read(7)).toEqual(new Map([[`${region} ${now}`, secret]]))
    await backend.pool.pg.query('update check_response set monitor = 8')
    expect(await read(8)).toEqual(new Map())
    await backend.pool.pg.query('update check_response set monitor = 7')
    // After seven days it is not shown, and then deleted.
    expect(await read(7, now + 7 * DAY_MS + 1)).toEqual(new Map())
    await deleteOldResponses(db, now + 7 * DAY_MS - 1)
    expect(await kept()).toHaveLength(1)
    await deleteOldResponses(db, now + 7 * DAY_MS + 1)
    expect(await kept()).toEqual([])
  })

  it('is one of the 50 newest of its region', async () => {
    const now = Date.now()
    for (let n = 0; n < 60; n += 1) await storeResponses(backend.pool.db, TEST_ENCRYPTER, [check(now + n, secret)])
    const rows = await kept()
    expect(rows.map(({ at }) => Number(at))).toEqual(Array.from({ length: 50 }, (_, n) => now + 10 + n))
  })
})
