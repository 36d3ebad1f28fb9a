import { type ActiveHours, DAY_MS, HOUR_MS, MINUTE_MS, WEEKDAYS } from '@vedette/shared'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HeartbeatScene, startHeartbeatScene } from '../../../../test/heartbeat-scene.ts'
import { activeSpans } from '../active-hours.ts'

let scene: HeartbeatScene
beforeAll(async () => {
  scene = await startHeartbeatScene({ startMs: Date.parse('2027-03-26T00:00:00Z') })
})
afterAll(() => scene.backend.close())

const now = () => scene.backend.clock.now()
const iso = (ms: number) => new Date(ms).toISOString()

/** Moves on, and lets the job see it. */
async function follow(ms: number): Promise<void> {
  const days = Math.floor(ms / DAY_MS) - Math.floor(now() / DAY_MS)
  scene.backend.clock.advance(ms - now())
  if (days > 0) await scene.backend.jobs.keepPartitions()
  await scene.backend.jobs.changeActiveHours()
}

/** The job looks each second; here it looks at the instants at which hours begin or end. */
async function followAll(hours: readonly ActiveHours[], untilMs: number): Promise<void> {
  const edges = activeSpans(hours, { fromMs: now(), toMs: untilMs }).flatMap(({ fromMs, toMs }) => [fromMs, toMs])
  for (const edge of edges) if (edge > now() && edge < untilMs) await follow(edge)
  await follow(untilMs)
}

const STATUSES = ['up', 'down', 'degraded'] as const
type Status = (typeof STATUSES)[number]
const clock = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom('00', '30'))
  .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${minute}`)
const hoursIn = (zone: string) => {
  const days = fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 3, maxLength: 7 })
  return fc.array(fc.record({ time_zone: fc.constantFrom(zone, 'UTC'), days, from: clock, to: clock }), {
    minLength: 1,
    maxLength: 3,
  })
}
const history = fc.array(fc.tuple(fc.integer({ min: MINUTE_MS, max: 12 * HOUR_MS }), fc.constantFrom(...STATUSES)), {
  minLength: 10,
  maxLength: 10,
})

/** Milliseconds of each status within the hours. */
function integrate(hours: readonly ActiveHours[], changes: readonly { atMs: number; status: Status }[], toMs: number) {
  const time = { up: 0, down: 0, degraded: 0 }
  const spans = activeSpans(hours, { fromMs: changes[0]?.atMs ?? toMs, toMs })
  for (const [index, { atMs, status }] of changes.entries()) {
    const endMs = changes[index + 1]?.atMs ?? toMs
    for (const span of spans) time[status] += Math.max(0, Math.min(span.toMs, endMs) - Math.max(span.fromMs, atMs))
  }
  return time
}

describe('the uptime of a monitor with active hours', () => {
  // The clock is set forward in Berlin on 2027-03-28, and back in Sydney on 2027-04-04.
  it.each([
    ['2027-03-27', 'Europe/Berlin'],
    ['2027-04-03', 'Australia/Sydney'],
  ])('from %s on in %s is the integral over their time', async (day, zone) => {
    await follow(Math.max(Date.parse(`${day}T00:00:00Z`), now()))
    const [[active_hours, steps] = [[], []]] = fc.sample(fc.tuple(hoursIn(zone), history), 1)
    const body = { name: 'Integral', type: 'composite', options: { manual_status: 'up' }, active_hours }
    const { id } = (await scene.api('POST', '/monitors', body)).body
    const fromMs = now()
    // What a person sets outside of the hours holds from when they begin.
    const changes: { atMs: number; status: Status }[] = [{ atMs: fromMs, status: 'up' }]
    for (const [ms, status] of steps) {
      await followAll(active_hours, now() + ms)
      await scene.api('PATCH', `/monitors/${id}`, { options: { manual_status: status } })
      changes.push({ atMs: now(), status })
    }
    await followAll(active_hours, now() + HOUR_MS)
    const toMs = now()
    const time = integrate(active_hours, changes, toMs)
    const counted = time.up + time.down + time.degraded
    const expected = counted === 0 ? 100 : Math.floor((1 - time.down / counted) * 1_000_000) / 10_000
    const range = `from=${iso(fromMs)}&to=${iso(toMs)}`
    expect((await scene.api('GET', `/monitors/${id}/stats?${range}`)).body.uptime_percent).toBe(expected)
    const report = (await scene.api('GET', `/reports/uptime?monitor=${id}&${range}`)).body.monitors[0]
    expect(report.seconds).toEqual({ up: time.up / 1_000, down: time.down / 1_000, degraded: time.degraded / 1_000 })
    expect(report.excluded.paused_seconds).toBe((toMs - fromMs - counted) / 1_000)
  })
})
