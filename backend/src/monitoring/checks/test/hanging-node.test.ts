import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { type NodeState, type PlayedNodes, playNodes } from '../../../../test/playing-nodes.ts'
import { createPool } from '../../../platform/db/index.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { createRecorder, type Recorder } from '../results/recorder.ts'
import { claimChecks } from '../schedule/claim-store.ts'
import { toCompletedCheck, toLocalCheck } from '../worker/local-check.ts'
import { checksOf, monitorsOf, resultOf, settle, type TestMonitor } from './monitors.ts'
import { TEST_ENCRYPTER, until } from './workers.ts'

const [BROKEN, SOUND] = [1, 2]
let backend: TestBackend
let nodes: PlayedNodes
let region: number
let recorder: Recorder
/** One of each node. */
let broken: TestMonitor
let sound: TestMonitor

beforeAll(async () => {
  backend = await startTestBackend()
  nodes = await playNodes(backend, 'check_result')
  const make = monitorsOf(backend)
  region = await make.region('here')
  const monitorOn = async (node: number) => {
    const organization = await backend.organization()
    await nodes.assign(organization.number, node)
    return make.monitor(organization, { regions: ['here'] })
  }
  broken = await monitorOn(BROKEN)
  sound = await monitorOn(SOUND)
  const { pool, clock } = backend
  recorder = createRecorder({
    pool,
    clock,
    now: () => clock.now(),
    log: silentLog,
    encrypter: TEST_ENCRYPTER,
    settled: () => undefined,
  })
})
afterAll(async () => {
  await recorder.stop()
  await backend.close()
})

/** Records a check of each of these monitors. */
async function record(...monitors: TestMonitor[]): Promise<void> {
  const nowMs = backend.clock.now()
  for (const monitor of monitors) await settle(backend.pool.db, monitor, nowMs)
  const claim = {
    aheadMs: 4_000,
    nearMs: 4_000,
    leaseMs: 5_000,
    includesTimeout: false,
    share: { index: 0, count: 1 },
    limit: 100,
  }
  const rows = await claimChecks(backend.pool.db, { region, nowMs, ...claim })
  for (const row of rows) recorder.record(toCompletedCheck(toLocalCheck(row, TEST_ENCRYPTER), resultOf('up', nowMs), nowMs))
  expect(rows).toHaveLength(monitors.length)
}

const stored = async () => Promise.all([broken, sound].map(async (monitor) => (await checksOf(backend.pool.db, monitor)).length))
const untilStored = (...expected: number[]) =>
  until(async () => {
    backend.clock.advance(250)
    return String(await stored()) === String(expected)
  })

it.each<NodeState>(['hangs', 'down'])(
  'a node that is %s delays the checks of its organizations alone, and loses none',
  async (state) => {
    const [ofBroken = 0, ofSound = 0] = await stored()
    await nodes.setState(BROKEN, state)
    await record(broken, sound)
    await untilStored(ofBroken, ofSound + 1)
    // The others are claimed on, and stored.
    expect(recorder.isBehind()).toBe(false)
    await record(sound)
    await untilStored(ofBroken, ofSound + 2)
    await nodes.setState(BROKEN, 'works')
    await untilStored(ofBroken + 1, ofSound + 2)
    expect(recorder.stats()).toMatchObject({ dropped: 0, queued: 0 })
  },
)

it('a statement that the server cancels loses no check where there are no nodes either', async () => {
  const url = new URL(backend.databaseUrl)
  url.searchParams.set('options', '-c statement_timeout=300')
  const pool = createPool({ url: url.href, clock: backend.clock, log: silentLog })
  const former = recorder
  const { clock } = backend
  recorder = createRecorder({
    pool,
    clock,
    now: () => clock.now(),
    log: silentLog,
    encrypter: TEST_ENCRYPTER,
    settled: () => undefined,
  })
  const [ofBroken = 0, ofSound = 0] = await stored()
  await nodes.setState(BROKEN, 'hangs')
  await record(broken)
  await until(() => recorder.isBehind())
  await nodes.setState(BROKEN, 'works')
  await untilStored(ofBroken + 1, ofSound)
  expect(recorder.stats()).toMatchObject({ dropped: 0, queued: 0 })
  await recorder.stop()
  await pool.end()
  recorder = former
})
