import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HeartbeatScene, startHeartbeatScene } from '../../../../test/heartbeat-scene.ts'

let scene: HeartbeatScene
beforeAll(async () => {
  scene = await startHeartbeatScene()
})
afterAll(() => scene.backend.close())

const statusOf = async ({ id }: { id: string }) => (await scene.details(id)).status
const checksOf = async ({ id }: { id: string }) =>
  (await scene.details(id)).recent_checks.map(({ outcome, error }: { outcome: string; error: { message: string } | null }) =>
    error ? `${outcome}: ${error.message}` : outcome,
  )

describe('a heartbeat', () => {
  it('without its first ping is not down [BEAT-01]', async () => {
    const monitor = await scene.make()
    await scene.pass(86_400)
    expect(await scene.details(monitor.id)).toMatchObject({ status: 'up', recent_checks: [] })
  })

  it('is down when its ping is not there at the end of the grace, and again with each further one [BEAT-02]', async () => {
    const monitor = await scene.make()
    const at = new Date(scene.backend.clock.now()).toISOString().slice(0, 19).replace('T', ' ')
    await scene.ping(monitor)
    await scene.pass(364)
    expect(await statusOf(monitor)).toBe('up')
    await scene.pass(1)
    expect(await statusOf(monitor)).toBe('down')
    const message = `down: no ping since ${at} UTC (expected every 5 minutes, 1 minute of grace)`
    expect(await checksOf(monitor)).toEqual([message, 'up'])
    await scene.pass(300)
    expect(await checksOf(monitor)).toEqual([message, message, 'up'])
    // One result stands for all that were missed while nobody looked.
    await scene.pass(3_000)
    expect(await checksOf(monitor)).toHaveLength(4)
    await scene.ping(monitor)
    expect(await statusOf(monitor)).toBe('up')
  })

  it('says when its next ping is expected, by when it must come, and that it is late', async () => {
    const monitor = await scene.make()
    const next = async () => (await scene.details(monitor.id)).next_ping
    expect([monitor.next_ping, await next()]).toEqual([null, null])
    await scene.ping(monitor)
    const inSeconds = (seconds: number) => new Date(scene.backend.clock.now() + seconds * 1_000).toISOString()
    const expected = { expected_at: inSeconds(300), due_by: inSeconds(360) }
    expect(await next()).toEqual({ ...expected, late: false })
    await scene.pass(299)
    expect(await next()).toEqual({ ...expected, late: false })
    await scene.pass(1)
    expect(await next()).toEqual({ ...expected, late: true })
    await scene.pass(65)
    // It is down, and the next one is awaited.
    expect([await statusOf(monitor), await next()]).toEqual([
      'down',
      { expected_at: inSeconds(235), due_by: inSeconds(295), late: false },
    ])
    await scene.api('POST', `/monitors/${monitor.id}/pause`)
    expect(await next()).toBeNull()
    await scene.api('POST', `/monitors/${monitor.id}/resume`)
    expect(await next()).toMatchObject({ expected_at: inSeconds(300), late: false })
    // What was read may be sent back.
    const { status } = await scene.api('PATCH', `/monitors/${monitor.id}`, await scene.details(monitor.id))
    expect(status).toBe(200)
    const { body: other } = await scene.api('POST', '/monitors', { name: 'Port', type: 'tcp', url: 'tcp://db.example.com:5432' })
    expect(other).not.toHaveProperty('next_ping')
  })

  it('is looked at once by two instances [BEAT-03]', async () => {
    const monitor = await scene.make()
    await scene.ping(monitor)
    scene.backend.clock.advance(400_000)
    await Promise.all([scene.backend.vedette.watchHeartbeats(), scene.backend.vedette.watchHeartbeats()])
    expect(await checksOf(monitor)).toHaveLength(2)
  })

  it('by a calendar is down at the end of the grace of its next time [BEAT-04]', async () => {
    const schedule = { cron: '0 2 * * *', time_zone: 'Europe/Berlin', grace_seconds: 3_600 }
    const monitor = await scene.make({ options: { schedule } })
    await scene.ping(monitor)
    const now = scene.backend.clock.now()
    const next = Math.ceil((now - 3_600_000) / 86_400_000) * 86_400_000 + 3_600_000 + 3_600_000
    await scene.pass((next - now) / 1_000 + 4)
    expect(await statusOf(monitor)).toBe('up')
    await scene.pass(1)
    expect(await statusOf(monitor)).toBe('down')
    expect((await checksOf(monitor))[0]).toContain('(expected by cron 0 2 * * * in Europe/Berlin, 1 hour of grace)')
  })

  it('with a run that does not end within the grace is down [BEAT-05]', async () => {
    const monitor = await scene.make()
    await scene.ping(monitor, '/start')
    await scene.pass(64)
    expect(await statusOf(monitor)).toBe('up')
    await scene.pass(1)
    expect(await statusOf(monitor)).toBe('down')
    expect((await checksOf(monitor))[0]).toMatch(/^down: the run that started at .* UTC did not end within 1 minute of grace$/)
    // Nothing else is awaited before its first ping.
    await scene.pass(1_000)
    expect(await checksOf(monitor)).toHaveLength(1)
  })

  it('awaits the end of the last run by its id, or an end without one [BEAT-06]', async () => {
    const [rid, other] = ['123e4567-e89b-12d3-a456-426614174000', '123e4567-e89b-12d3-a456-426614174001']
    const monitor = await scene.make()
    await scene.ping(monitor, `/start?rid=${rid}`)
    await scene.ping(monitor, `?rid=${other}`)
    await scene.pass(65)
    expect(await statusOf(monitor)).toBe('down')
    await scene.ping(monitor, `/start?rid=${rid}`)
    await scene.ping(monitor)
    await scene.pass(65)
    expect(await statusOf(monitor)).toBe('up')
  })

  it('expects its next ping by a changed schedule from the change on [BEAT-07]', async () => {
    const monitor = await scene.make()
    await scene.ping(monitor)
    await scene.pass(200)
    const options = { schedule: { period_seconds: 60, grace_seconds: 0 } }
    expect((await scene.api('PATCH', `/monitors/${monitor.id}`, { options })).body.interval).toBe(60)
    await scene.pass(64)
    expect(await statusOf(monitor)).toBe('up')
    await scene.pass(1)
    expect(await statusOf(monitor)).toBe('down')
  })

  it('opens an incident with the excerpt of the job as evidence [BEAT-08]', async () => {
    const monitor = await scene.make()
    await scene.ping(monitor, '/fail', { method: 'POST', body: 'tape jam' })
    await scene.backend.jobs.evaluateSignals()
    const { body } = await scene.api('GET', '/incidents')
    const incident = body.incidents.find(({ target }: { target: { id: string } }) => target.id === monitor.id)
    expect(JSON.stringify(incident)).toContain('the job reported a failure')
  })

  it('of a whole year, on others and below others, opens its incident, and is in replays and reports', async () => {
    const options = { schedule: { period_seconds: 31_536_000, grace_seconds: 31_536_000 } }
    const parent = await scene.make({ name: 'Archive', options })
    const monitor = await scene.make({ name: 'Copy of the archive', options, depends_on: [{ type: 'monitor', id: parent.id }] })
    for (const [one, suffix] of [
      [parent, ''],
      [monitor, '/fail'],
    ] as const)
      await scene.ping(one, suffix)
    await scene.backend.jobs.evaluateSignals()
    await scene.backend.jobs.reviewSuppressions()
    const { body } = await scene.api('GET', '/incidents')
    expect(body.incidents.map(({ target }: { target: { id: string } }) => target.id)).toContain(monitor.id)
    const to = new Date(scene.backend.clock.now()).toISOString()
    const from = new Date(scene.backend.clock.now() - 86_400_000).toISOString()
    const answers = [
      await scene.api('POST', '/replays', { from, to, sets: [{}] }),
      await scene.api('GET', `/reports/uptime?from=${from}&to=${to}&monitor=${monitor.id}`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
  })
})

describe('after an outage of the backend', () => {
  it('a ping that nobody could take is not missed, and the next one is expected from the start on [BEAT-09]', async () => {
    const monitor = await scene.make()
    await scene.ping(monitor)
    const { clock, databaseUrl } = scene.backend
    const aliveBeforeMs = clock.now() + 290_000
    clock.advance(3_600_000)
    const restarted = await startHeartbeatScene({ databaseUrl, clock, uptime: { aliveBeforeMs, startedAtMs: clock.now() } })
    await restarted.backend.vedette.watchHeartbeats()
    expect(await statusOf(monitor)).toBe('up')
    expect((await checksOf(monitor))[0]).toMatch(
      /^inconclusive: no ping, but nobody was there to take one: Vedette was away from .* to .*$/,
    )
    clock.advance(364_000)
    await restarted.backend.vedette.watchHeartbeats()
    expect(await statusOf(monitor)).toBe('up')
    clock.advance(1_000)
    await restarted.backend.vedette.watchHeartbeats()
    expect(await statusOf(monitor)).toBe('down')
    await restarted.backend.close()
  })

  it('a ping that was missed before it is [BEAT-10]', async () => {
    const monitor = await scene.make()
    await scene.ping(monitor)
    const { clock, databaseUrl } = scene.backend
    // The deadline was a minute before the outage, and nobody had looked yet.
    const aliveBeforeMs = clock.now() + 420_000
    clock.advance(3_600_000)
    const restarted = await startHeartbeatScene({ databaseUrl, clock, uptime: { aliveBeforeMs, startedAtMs: clock.now() } })
    await restarted.backend.vedette.watchHeartbeats()
    expect(await statusOf(monitor)).toBe('down')
    await restarted.backend.close()
  })
})
