import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import {
  createLiveWindows,
  decodePushes,
  fieldIdOf,
  LIVE_MS,
  type LiveWindows,
  readNewestPushes,
} from '../../../hosts/metrics/index.ts'
import { measure } from '../../../../test/measured-server.ts'

// Means that are known from what was looked at are those that a process that knows nothing reads from storage, and those that the
// test adds up itself.

let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())

const METRIC = 'memory.percent'
const FIELD = fieldIdOf(METRIC) as number
const WANTED = new Set([FIELD])
const [SPAN, MINUTE] = [600_000, 60_000]
const windowsOf = (more: { maxSize?: number } = {}) => createLiveWindows({ db: backend.pool.db, clock: backend.clock, ...more })

async function host() {
  const { uuid, sends } = await measure(backend, await backend.organization())
  const { rows } = await backend.pool.pg.query<{ organization: number; server: number }>(
    'select organization, number as server from server where id = $1',
    [uuid],
  )
  const key = rows[0] as { organization: number; server: number }
  const sent: { atMs: number; value: number; receivedAtMs: number }[] = []
  let sinceMs = 0
  return {
    sends: async (values: readonly number[], agoMs = 0) => {
      const now = backend.clock.now()
      for (const [index, value] of values.entries())
        sent.push({ atMs: now - agoMs - (values.length - 1 - index) * 10_000, value, receivedAtMs: now })
      await sends({ [METRIC]: values }, { agoMs })
    },
    /** As the evaluation does: of the newest three pushes, those that are new. */
    evaluate: async (windows: LiveWindows, wanted: ReadonlySet<number> = WANTED) => {
      const now = backend.clock.now()
      const [pushes = []] = await readNewestPushes(backend.pool.db, [{ ...key, sinceMs }], 3, now)
      windows.addPushes(
        key,
        decodePushes(
          pushes.filter(({ block }) => block !== null),
          wanted,
        ),
        wanted,
      )
      sinceMs = now
    },
    mean: async (windows: LiveWindows, spanMs = SPAN) => {
      const [mean] = await windows.means([{ ...key, fieldId: FIELD, toMs: backend.clock.now(), spanMs }])
      return mean
    },
    /** Added up by the test. */
    expected: (spanMs = SPAN) => {
      const toMs = backend.clock.now()
      const live = new Map<number, number>()
      for (const { atMs, value, receivedAtMs } of sent)
        if (receivedAtMs - atMs <= LIVE_MS && atMs >= toMs - spanMs && !live.has(atMs)) live.set(atMs, value)
      return [...live.values()].reduce((sum, value) => sum + value, 0) / live.size
    },
    /** A second read finds nothing. */
    spoils: () => backend.pool.pg.query(`update metric_push set data = '\\x00' where server = $1`, [key.server]),
  }
}

const six = (seed: number) => Array.from({ length: 6 }, (_, index) => ((seed * 7 + index * 13) % 90) + 0.25)

it('equal those of the stored samples, also with late, missed and repeated samples [ALERT-05, ALERT-11]', async () => {
  const { sends, evaluate, mean, expected } = await host()
  const windows = windowsOf()
  for (let turn = 0; turn < 24; turn += 1) {
    backend.clock.advance(MINUTE)
    await sends(six(turn))
    // The same instants in two that are looked at together, the one received later first.
    backend.clock.advance(1)
    if (turn % 10 === 3) await sends([1, 2], 1)
    // Somebody else looked.
    await evaluate(turn % 8 === 7 ? windowsOf() : windows)
    // Behind the newest three: nobody looks at it. Of the second some samples are too old to count.
    if (turn % 6 === 4) await sends(six(turn + 50), 235_000)
    if (turn % 6 === 5) await sends(six(turn + 60), 273_000)
    // The same instants with other values: those received first stand.
    backend.clock.advance(1)
    if (turn % 10 === 9) await sends(six(turn + 70), 20_001)
    for (const spanMs of [SPAN, 180_000]) {
      const known = await mean(windows, spanMs)
      expect(known, `turn ${turn}`).toEqual(await mean(windowsOf(), spanMs))
      expect(known?.mean, `turn ${turn}`).toBeCloseTo(expected(spanMs), 6)
      expect(known?.isCovered).toBe(turn * MINUTE + 50_000 >= spanMs - spanMs / 10)
    }
  }
})

it('are not read again while no push was missed', async () => {
  const { sends, evaluate, mean, expected, spoils } = await host()
  const windows = windowsOf()
  for (let turn = 0; turn < 4; turn += 1) {
    await sends(six(turn))
    await evaluate(windows)
    await mean(windows)
    backend.clock.advance(MINUTE)
  }
  await sends(six(9))
  await evaluate(windows)
  await spoils()
  expect((await mean(windows))?.mean).toBeCloseTo(expected(), 6)
  expect((await mean(windowsOf()))?.mean).toBeNull()
  // A late one that was not looked at, and what was known is proven no more.
  await sends([50], 100_000)
  expect((await mean(windows))?.mean).toBe(50)
})

it('are read again for a field that was not decoded, after a pause, and after an eviction', async () => {
  const { sends, evaluate, mean, spoils } = await host()
  const [undecoded, idle, full] = [windowsOf(), windowsOf(), windowsOf({ maxSize: 9 })]
  await sends([10, 20])
  for (const windows of [undecoded, idle, full]) expect((await mean(windows))?.mean).toBe(15)
  backend.clock.advance(10_000)
  await sends([60])
  await evaluate(undecoded, new Set([fieldIdOf('cpu.percent') as number]))
  expect((await mean(undecoded))?.mean).toBe(30)
  for (const windows of [idle, full]) expect((await mean(windows))?.mean).toBe(30)
  await spoils()
  expect((await mean(idle))?.mean).toBe(30)
  expect((await mean(full))?.mean).toBeNull()
  backend.clock.advance(SPAN + 1)
  await idle.means([])
  backend.clock.advance(-SPAN - 1)
  expect((await mean(idle))?.mean).toBeNull()
})
