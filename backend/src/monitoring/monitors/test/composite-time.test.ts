import { DAY_MS, HOUR_MS } from '@vedette/shared'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HeartbeatScene, startHeartbeatScene } from '../../../../test/heartbeat-scene.ts'

const START = Date.parse('2026-11-20T06:00:00.000Z')
let scene: HeartbeatScene
beforeAll(async () => {
  scene = await startHeartbeatScene()
  scene.backend.clock.advance(START - scene.backend.clock.now())
})
afterAll(() => scene.backend.close())

const at = (ms: number) => new Date(ms).toISOString()
const truncated = (share: number) => Math.floor(share * 1_000_000) / 10_000
const make = async (options: object, name = 'Group') =>
  (await scene.api('POST', '/monitors', { name, type: 'composite', options })).body.id as string
const set = (id: string, status: string) => scene.api('PATCH', `/monitors/${id}`, { options: { manual_status: status } })

describe('the uptime of a composite', () => {
  it('is that of its time, to the millisecond, in stats, lists and reports', async () => {
    const steps = fc.array(
      fc.tuple(fc.integer({ min: 1, max: 5 * HOUR_MS }), fc.constantFrom('up', 'down', 'degraded', 'paused')),
      { minLength: 12, maxLength: 12 },
    )
    const [history = []] = fc.sample(steps, 1)
    const id = await make({ manual_status: 'up' })
    const fromMs = scene.backend.clock.now()
    const spans: { status: string; ms: number }[] = []
    let status = 'up'
    for (const [ms, next] of history) {
      scene.backend.clock.advance(ms)
      spans.push({ status, ms })
      if (status === 'paused') await scene.api('POST', `/monitors/${id}/resume`)
      if (next === 'paused') await scene.api('POST', `/monitors/${id}/pause`)
      else await set(id, next)
      status = next
    }
    const toMs = scene.backend.clock.now()
    const sum = (...wanted: string[]) => spans.reduce((ms, span) => ms + (wanted.includes(span.status) ? span.ms : 0), 0)
    const expected = truncated(1 - sum('down') / sum('up', 'down', 'degraded'))
    const { body } = await scene.api('GET', `/monitors/${id}/stats?from=${at(fromMs)}&to=${at(toMs)}&points=20`)
    expect(body).toMatchObject({ uptime_percent: expected, total_checks: 0, avg_response_ms: 0, by_region: {} })
    expect(body.series.uptime_percent.length).toBeLessThanOrEqual(20)
    const { monitors } = (await scene.api('GET', '/monitors?include=uptime')).body
    const listed = monitors.find((one: { id: string }) => one.id === id)
    expect(listed.uptime_7d).toBeCloseTo(expected, 3)
    expect(listed).toMatchObject({ status_by_region: {}, p95_response_ms: null })
    expect(listed.uptime.uptime_percent.at(-1) ?? 100).toBeLessThanOrEqual(100)
    const report = (await scene.api('GET', `/reports/uptime?monitor=${id}&from=${at(fromMs)}&to=${at(toMs)}&objective=99`)).body
    expect(report.monitors[0]).toMatchObject({
      uptime_percent: expected,
      availability_percent: expected,
      checks: { total: 0 },
      seconds: { up: sum('up') / 1_000, degraded: sum('degraded') / 1_000, down: sum('down') / 1_000 },
      excluded: { paused_seconds: sum('paused') / 1_000, no_data_seconds: 0 },
      objective: { met: expected >= 99 },
    })
    expect(report.summary.uptime_percent).toBe(expected)
  })

  it('of an objective is counted in seconds, and does not count next to checks', async () => {
    const id = await make({ manual_status: 'up' }, 'Objective')
    const made = await scene.api('POST', '/slos', {
      name: 'Group works',
      target: { id },
      kind: 'availability',
      objective: 99,
      window: '7d',
    })
    expect(made.status).toBe(201)
    scene.backend.clock.advance(3 * HOUR_MS)
    await set(id, 'down')
    scene.backend.clock.advance(HOUR_MS)
    await set(id, 'up')
    const slo = (await scene.api('GET', `/slos/${made.body.id}`)).body
    expect(slo.status).toMatchObject({ unit: 'time', total: 4 * 3_600, bad: 3_600, good: 3 * 3_600, good_percent: 75 })
    const { transitions } = (await scene.api('GET', `/monitors/${id}/transitions`)).body
    const [to, from] = transitions.map((one: { at: string }) => one.at)
    const interval = { from, to, as: 'excluded', comment: 'a planned move' }
    const said = await scene.api('POST', `/monitors/${id}/reclassifications`, interval)
    expect(said.status, JSON.stringify(said.body)).toBe(201)
    const after = (await scene.api('GET', `/slos/${made.body.id}`)).body.status
    expect(after).toMatchObject({ unit: 'time', total: 3 * 3_600, bad: 0 })
    const stats = (await scene.api('GET', `/monitors/${id}/stats?period=24h`)).body
    expect(stats).toMatchObject({ uptime_percent: 100, reclassified: [{ as: 'excluded' }] })
    await scene.api('DELETE', `/monitors/${id}/reclassifications/${said.body.id}`)
    scene.backend.clock.advance(2 * DAY_MS)
    expect((await scene.api('GET', `/slos/${made.body.id}`)).body.status).toMatchObject({ unit: 'time', bad: 3_600 })
  })
})
