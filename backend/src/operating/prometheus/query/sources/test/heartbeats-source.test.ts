import { afterAll, beforeAll, expect, it } from 'vitest'
import { type HeartbeatScene, startHeartbeatScene } from '../../../../../../test/heartbeat-scene.ts'
import { heartbeatsSource } from '../heartbeats-source.ts'
import { shownSteps } from '../monitors-source.ts'
import { instant, named, scopeOf, valueAt } from './queries.ts'

const MINUTE = 60_000
const LAST = 'vedette_heartbeat_last_ping_timestamp_seconds'
const DURATION = 'vedette_heartbeat_duration_seconds'
const EXPECTED = 'vedette_heartbeat_expected_timestamp_seconds'
const source = heartbeatsSource()

let scene: HeartbeatScene
beforeAll(async () => {
  scene = await startHeartbeatScene()
})
afterAll(() => scene.backend.close())

/** Its values by name at these instants, each a time ago. */
async function valuesOf(id: string, ...agoMs: number[]): Promise<Record<string, (number | undefined)[]>> {
  const { scope } = scopeOf(scene.backend, scene.organization)
  const wanted = instant(scope.nowMs, named('.+', '=~'), { label: 'monitor_id', op: '=', value: id })
  const { series } = await source.read(scope, { ...wanted, fromMs: scope.nowMs - 60 * MINUTE })
  return Object.fromEntries(series.map((one) => [one.labels['__name__'], agoMs.map((ago) => valueAt(one, scope.nowMs - ago))]))
}

it('a heartbeat has its last ping, how long the run took, and when the next ping should come', async () => {
  const monitor = await scene.make({ name: 'backup' })
  expect(await valuesOf(monitor.id, 0)).toEqual({})
  await scene.ping(monitor, '/start')
  scene.backend.clock.advance(MINUTE)
  await scene.ping(monitor)
  const first = scene.backend.clock.now()
  expect(await valuesOf(monitor.id, 0)).toEqual({ [LAST]: [first / 1_000], [DURATION]: [60], [EXPECTED]: [first / 1_000 + 300] })
  scene.backend.clock.advance(2 * MINUTE)
  // Without a start nothing is known of its duration; a line of a log ends no run.
  await scene.ping(monitor, '/fail')
  const second = scene.backend.clock.now()
  scene.backend.clock.advance(MINUTE)
  await scene.ping(monitor, '/log')
  expect(await valuesOf(monitor.id, 3 * MINUTE + 1, MINUTE + 1, 0)).toEqual({
    [LAST]: [undefined, first / 1_000, second / 1_000],
    [DURATION]: [undefined, 60, 60],
    [EXPECTED]: [undefined, undefined, second / 1_000 + 300],
  })
  await scene.pass(6 * 60)
  const [expectedAt] = (await valuesOf(monitor.id, 0))[EXPECTED] ?? []
  expect(expectedAt).toBe(second / 1_000 + 600)
})

it('a heartbeat that pings a day ago is answered by that ping', async () => {
  const monitor = await scene.make({ name: 'weekly', options: { schedule: { period_seconds: 604_800, grace_seconds: 60 } } })
  await scene.ping(monitor, '/start')
  scene.backend.clock.advance(MINUTE)
  await scene.ping(monitor)
  const at = scene.backend.clock.now() / 1_000
  scene.backend.clock.advance(24 * 60 * MINUTE)
  expect(await valuesOf(monitor.id, 0)).toEqual({ [LAST]: [at], [DURATION]: [60], [EXPECTED]: [at + 604_800] })
})

it('a paused heartbeat has no series, a deleted one none of any time, and others are those of their organization', async () => {
  const [monitor, deleted] = [await scene.make({ name: 'paused' }), await scene.make({ name: 'deleted' })]
  await scene.ping(monitor)
  await scene.ping(deleted)
  scene.backend.clock.advance(MINUTE)
  await scene.api('POST', `/monitors/${monitor.id}/pause`)
  await scene.api('DELETE', `/monitors/${deleted.id}`)
  const at = scene.backend.clock.now() / 1_000 - 60
  expect(await valuesOf(monitor.id, 1, 0)).toEqual({ [LAST]: [at, undefined] })
  expect(await valuesOf(deleted.id, 1)).toEqual({})
  const { scope } = scopeOf(scene.backend, scene.organization)
  const wanted = instant(scope.nowMs, named(LAST))
  const labels = await source.list(scope, wanted)
  expect(labels).toContainEqual({ __name__: LAST, instance: 'paused', monitor_id: monitor.id, type: 'heartbeat' })
  expect(labels.map(({ instance }) => instance)).not.toContain('deleted')
  const other = await scene.backend.organization('Unrelated')
  expect(await source.list(scopeOf(scene.backend, other).scope, wanted)).toEqual([])
})

it('many heartbeats take as many statements as one', async () => {
  const count = async (...names: string[]) => {
    const found = scopeOf(scene.backend, scene.organization)
    const matchers = [named('vedette_.+', '=~'), { label: 'instance', op: '=~', value: names.join('|') } as const]
    const { series } = await source.read(found.scope, instant(found.scope.nowMs, ...matchers))
    return [series.length, found.count()]
  }
  for (const name of ['one', 'two', 'three']) await scene.ping(await scene.make({ name }))
  const [, statements] = await count('one')
  expect(await count('one', 'two', 'three')).toEqual([6, statements])
})

it.each([
  ['before it is made there is no status', [], [{ atMs: 1, value: 1 }]],
  [
    'up',
    [{ atMs: 0, status: 'up' }],
    [
      { atMs: 1, value: 1 },
      { atMs: 5, value: 5 },
    ],
  ],
  [
    'paused, and a ping in that time',
    [
      { atMs: 0, status: 'up' },
      { atMs: 4, status: 'paused' },
      { atMs: 6, status: 'up' },
    ],
    [
      { atMs: 1, value: 1 },
      { atMs: 4, value: undefined },
      { atMs: 6, value: 1 },
    ],
  ],
  ['paused all the time', [{ atMs: 0, status: 'paused' }], [{ atMs: 0, value: undefined }]],
] as const)('what a monitor says by steps: %s', (_, statuses, shown) => {
  const steps = [
    { atMs: 1, value: 1 },
    { atMs: 5, value: 5 },
  ]
  expect(shownSteps(statuses.length === 0 ? steps.slice(0, 1) : steps, statuses)).toEqual(shown)
})
