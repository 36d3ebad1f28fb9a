import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HeartbeatScene, startHeartbeatScene } from '../../../../test/heartbeat-scene.ts'

let scene: HeartbeatScene
const tokenOf = ({ ping_url: url }: { ping_url: string }): string => new URL(url).pathname.split('/').at(-1) ?? ''
beforeAll(async () => {
  scene = await startHeartbeatScene()
})
afterAll(() => scene.backend.close())

const RID = '123e4567-e89b-12d3-a456-426614174000'
const OTHER_RID = '123e4567-e89b-12d3-a456-426614174001'
const transitions = async (id: string) => (await scene.api('GET', `/monitors/${id}/transitions`)).body.transitions

describe('a heartbeat', () => {
  it('gets a name, a token, and the interval of its schedule [BEAT-11]', async () => {
    const monitor = await scene.make({ name: 'Größte Sicherung!' })
    expect(monitor).toMatchObject({
      type: 'heartbeat',
      url: 'heartbeat://gro-te-sicherung',
      interval: 300,
      confirmations: 1,
      regions: ['local'],
      status: 'up',
      last_checked_at: null,
    })
    expect(monitor.ping_url).toMatch(/^http:\/\/127\.0\.0\.1:8080\/ping\/vdt_png_[0-9A-Za-z]{49}$/)
    const second = await scene.make({ name: 'Größte Sicherung!' })
    expect(second.url).toBe('heartbeat://gro-te-sicherung-2')
    expect(second.ping_url).not.toBe(monitor.ping_url)
  })

  it('shows its address to those who may change it, and to nobody else [BEAT-12]', async () => {
    const { id } = await scene.make()
    const viewer = await scene.backend.member(scene.organization, 'viewer')
    const { body } = await scene.api('GET', `/monitors/${id}`, undefined, viewer)
    expect(body.ping_url).toBeUndefined()
    expect(body.credentials).toEqual({ token: '•••' })
    expect(JSON.stringify(body)).not.toContain('vdt_png_')
  })

  it.each([
    [{ options: {} }, 'options.schedule', 'must be an object'],
    [
      { options: { schedule: { cron: '61 * * * *', time_zone: 'UTC', grace_seconds: 1 } } },
      'options.schedule.cron',
      '"61" as minute',
    ],
    [{ url: 'heartbeat://Upper' }, 'url', 'must be heartbeat://'],
    [{ url: 'heartbeat://start' }, 'url', 'must be heartbeat://'],
    [{ url: 'https://example.com/' }, 'url', 'must be a URL that begins with heartbeat://'],
    [{ credentials: { token: 'short' } }, 'credentials.token', 'must have 10 to 128'],
  ])('with %j is refused', async (body, path, message) => {
    const schedule = { period_seconds: 300, grace_seconds: 60 }
    const given = { name: 'x', type: 'heartbeat', url: 'heartbeat://', options: { schedule }, ...body }
    const answer = await scene.api('POST', '/monitors', given)
    expect(answer.status).toBe(400)
    expect(answer.body.error.details).toContainEqual({ path, message: expect.stringContaining(message) })
  })

  it('needs no URL, which other kinds do [BEAT-13]', async () => {
    const monitor = await scene.make({ name: 'Without URL', url: undefined })
    expect(monitor.url).toBe('heartbeat://without-url')
    const { status, body } = await scene.api('POST', '/monitors', { name: 'x' })
    expect([status, body.error.details]).toEqual([400, [{ path: 'url', message: 'is required' }]])
  })

  it('keeps its token in a change that does not name it [BEAT-14]', async () => {
    const monitor = await scene.make()
    const { body } = await scene.api('PATCH', `/monitors/${monitor.id}`, { credentials: {} })
    expect(body.ping_url).toBe(monitor.ping_url)
    expect(await scene.ping(monitor)).toEqual([200, 'OK'])
  })

  it('refuses the name and the token of another one [BEAT-15]', async () => {
    const token = '5bf66975-d4c7-4bf5-bcc8-b8d8a82ea278'
    const { id } = await scene.make({ url: 'heartbeat://taken', credentials: { token } })
    const schedule = { period_seconds: 300, grace_seconds: 60 }
    const given = { name: 'x', type: 'heartbeat', url: 'heartbeat://taken', options: { schedule }, credentials: { token } }
    const { status, body } = await scene.api('POST', '/monitors', given)
    expect([status, body.error.details.map(({ path }: { path: string }) => path)]).toEqual([400, ['url', 'credentials.token']])
    expect((await scene.api('DELETE', `/monitors/${id}`)).status).toBe(204)
    const { body: other } = await scene.api('POST', '/monitors', { ...given, credentials: {} })
    expect(other.url).toBe('heartbeat://taken')
    expect((await scene.api('POST', `/monitors/${id}/restore`)).status).toBe(409)
  })

  it('is not tested before it is kept [BEAT-16]', async () => {
    const options = { schedule: { period_seconds: 300, grace_seconds: 60 } }
    const { status } = await scene.api('POST', '/monitors/test', { name: 'x', type: 'heartbeat', url: 'heartbeat://', options })
    expect(status).toBe(400)
  })
})

describe('a ping', () => {
  it.each(['GET', 'HEAD', 'POST'])('by %s is a check that is up', async (method) => {
    const monitor = await scene.make()
    const [status, body] = await scene.ping(monitor, '', { method })
    expect([status, body ?? 'OK']).toEqual([200, 'OK'])
    const [check] = (await scene.details(monitor.id)).recent_checks
    expect(check).toMatchObject({ outcome: 'up', response_ms: null, error: null, region: 'local' })
    expect(await scene.pings(monitor.id)).toMatchObject([{ kind: 'success', method, address: '192.0.2.1', body: null }])
  })

  it('is answered with the headers of Healthchecks [BEAT-17]', async () => {
    const monitor = await scene.make()
    const { headers } = await scene.backend.call('GET', scene.pathOf(monitor.ping_url))
    expect(headers).toMatchObject({
      'ping-body-limit': '10000',
      'access-control-allow-origin': '*',
      'content-type': 'text/plain; charset=utf-8',
      'x-ratelimit-limit': '60',
    })
  })

  it('that reports a failure turns the monitor red, and the next success green [BEAT-18]', async () => {
    const monitor = await scene.make()
    await scene.ping(monitor)
    scene.backend.clock.advance(1_000)
    expect(await scene.ping(monitor, '/fail', { method: 'POST', body: 'disk full' })).toEqual([200, 'OK'])
    expect(await scene.details(monitor.id)).toMatchObject({ status: 'down' })
    scene.backend.clock.advance(1_000)
    await scene.ping(monitor, '/0')
    expect(await scene.details(monitor.id)).toMatchObject({ status: 'up' })
    scene.backend.clock.advance(1_000)
    await scene.ping(monitor, '/3')
    const reasons = (await transitions(monitor.id)).map(({ reason }: { reason: string }) => reason)
    expect(reasons).toEqual(['the job ended with exit code 3', 'the checks pass again', 'the job reported a failure'])
    const { rows } = { rows: await scene.backend.pool.db.selectFrom('check_answer').selectAll().execute() }
    expect(rows.at(-1)).toMatchObject({ status_line: 'exit code 3' })
  })

  it.each([
    ['/256', 400, 'invalid url format'],
    ['/999999999', 400, 'invalid url format'],
    ['?rid=7', 400, 'invalid uuid format'],
    ['/start?rid=', 400, 'invalid uuid format'],
    ['/nonsense', 404, 'not found'],
    ['/start/fail', 404, 'not found'],
    ['/', 200, 'OK'],
    ['/255', 200, 'OK'],
    ['/log', 200, 'OK'],
    [`?rid=${RID}`, 200, 'OK'],
  ])('to …%s is answered with %i', async (suffix, status, text) => {
    expect(await scene.ping(await scene.make(), suffix)).toEqual([status, text])
  })

  it.each(['', '/fail', '/256', '/slug', '/slug?create=1', '/Slug', '/a/b/c/d', '/..%2f'])(
    'to an unknown token%s is answered with 404 or 400',
    async (suffix) => {
      const { status, body } = await scene.backend.call('GET', `/ping/5bf66975-d4c7-4bf5-bcc8-b8d8a82ea277${suffix}`)
      expect([status, body]).toEqual(suffix === '/Slug' ? [400, 'invalid url format'] : [404, 'not found'])
    },
  )

  it('by a method that pings do not have is refused with those that they have [BEAT-19]', async () => {
    const monitor = await scene.make()
    for (const method of ['PUT', 'DELETE'] as const) {
      const { status, headers, body } = await scene.backend.call(method, scene.pathOf(monitor.ping_url))
      expect([status, headers['allow'], body.error.code]).toEqual([405, 'GET, HEAD, POST', 'method_not_allowed'])
    }
    expect(await scene.pings(monitor.id)).toEqual([])
  })

  it('measures the run from the start of the same run to its end [BEAT-20]', async () => {
    const monitor = await scene.make()
    await scene.ping(monitor, `/start?rid=${RID}`)
    scene.backend.clock.advance(5_000)
    await scene.ping(monitor, `/start?rid=${OTHER_RID}`)
    scene.backend.clock.advance(2_500)
    await scene.ping(monitor, `?rid=${RID}`)
    scene.backend.clock.advance(1_000)
    await scene.ping(monitor, `/1?rid=${OTHER_RID}`)
    const checks = (await scene.details(monitor.id)).recent_checks
    expect(checks).toMatchObject([
      { outcome: 'down', response_ms: 3_500, facts: { duration: 3.5 } },
      { outcome: 'up', response_ms: 7_500, facts: { duration: 7.5 } },
    ])
    expect((await scene.pings(monitor.id)).map(({ kind, duration_ms }) => [kind, duration_ms])).toEqual([
      ['fail', 3_500],
      ['success', 7_500],
      ['start', null],
      ['start', null],
    ])
  })

  it('of a run of many hours keeps its duration as a fact [BEAT-21]', async () => {
    const monitor = await scene.make({ options: { schedule: { period_seconds: 86_400, grace_seconds: 36_000 } } })
    await scene.ping(monitor, '/start')
    scene.backend.clock.advance(5 * 3_600_000)
    await scene.ping(monitor)
    expect((await scene.details(monitor.id)).recent_checks[0]).toMatchObject({ response_ms: null, facts: { duration: 18_000 } })
  })

  it('of a run that took longer than an assertion allows is degraded [BEAT-22]', async () => {
    const monitor = await scene.make({ assertions: [{ type: 'duration', operator: 'less_than', value: 10 }] })
    await scene.ping(monitor, '/start')
    scene.backend.clock.advance(20_000)
    await scene.ping(monitor)
    const details = await scene.details(monitor.id)
    expect(details).toMatchObject({ status: 'degraded' })
    expect(details.recent_checks[0].error).toEqual({ code: 'assertion', message: 'Duration 20 s (expected below 10 s)' })
  })

  it('to /log keeps its body and changes nothing [BEAT-23]', async () => {
    const monitor = await scene.make()
    await scene.ping(monitor, '/log', { method: 'POST', body: 'half way' })
    expect(await scene.pings(monitor.id)).toMatchObject([{ kind: 'log', body: 'half way' }])
    expect(await scene.details(monitor.id)).toMatchObject({ last_checked_at: null, recent_checks: [] })
  })

  it('keeps the beginning of a body of any type without secrets, control characters and half characters [BEAT-24]', async () => {
    const monitor = await scene.make()
    const token = tokenOf(monitor)
    const hostile = `\u001b[2Jerror \u0000 password=hunter22 ${token}\r\nend ${'ä'.repeat(200_000)}`
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(await scene.ping(monitor, '/fail', { method: 'POST', body: hostile, headers })).toEqual([200, 'OK'])
    const [{ body }] = await scene.pings(monitor.id)
    expect(body).toMatch(/^\uFFFD\[2Jerror \uFFFD password=••• •••\nend /)
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(10_000)
    expect(body).not.toContain(token)
  })

  it('with a body of more than 1 MiB is refused [BEAT-25]', async () => {
    const monitor = await scene.make()
    const [status] = await scene.ping(monitor, '', { method: 'POST', body: Buffer.alloc(1_048_577, 97) })
    expect(status).toBe(413)
    expect(await scene.pings(monitor.id)).toEqual([])
  })

  it('to a replaced token is refused at once, and to the new one taken [BEAT-26]', async () => {
    const monitor = await scene.make()
    await scene.ping(monitor)
    const { body: changed } = await scene.api('PATCH', `/monitors/${monitor.id}`, { credentials: { token: '' } })
    expect(changed.ping_url).not.toBe(monitor.ping_url)
    expect(await scene.ping(monitor)).toEqual([404, 'not found'])
    expect(await scene.ping(changed)).toEqual([200, 'OK'])
    expect(await scene.details(monitor.id)).toMatchObject({ status: 'up' })
  })

  it('to a paused monitor is kept and changes nothing; after a resume the next one is expected from then on [BEAT-27]', async () => {
    const monitor = await scene.make()
    await scene.ping(monitor)
    await scene.api('POST', `/monitors/${monitor.id}/pause`)
    await scene.pass(1_000)
    expect(await scene.ping(monitor, '/fail')).toEqual([200, 'OK'])
    expect(await scene.details(monitor.id)).toMatchObject({ status: 'paused' })
    expect(await scene.pings(monitor.id)).toHaveLength(2)
    await scene.api('POST', `/monitors/${monitor.id}/resume`)
    await scene.pass(364)
    expect(await scene.details(monitor.id)).toMatchObject({ status: 'up' })
    await scene.pass(1)
    expect(await scene.details(monitor.id)).toMatchObject({ status: 'down' })
  })

  it('to a deleted monitor is refused, and to a restored one taken [BEAT-28]', async () => {
    const monitor = await scene.make()
    await scene.api('DELETE', `/monitors/${monitor.id}`)
    expect(await scene.ping(monitor)).toEqual([404, 'not found'])
    expect((await scene.api('POST', `/monitors/${monitor.id}/restore`)).status).toBe(200)
    expect(await scene.ping(monitor)).toEqual([200, 'OK'])
  })

  it('to a monitor of another type than heartbeat is refused [BEAT-29]', async () => {
    const monitor = await scene.make()
    const { status } = await scene.api('PATCH', `/monitors/${monitor.id}`, { type: 'http', url: 'https://example.com/' })
    expect(status).toBe(200)
    expect(await scene.ping(monitor)).toEqual([404, 'not found'])
  })

  it('of the same job at once is stored each [BEAT-30]', async () => {
    const monitor = await scene.make()
    const sent = Array.from({ length: 5 }, (_, index) => scene.ping(monitor, `/${index % 2}`))
    for (let turn = 0; turn < 20; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve))
      scene.backend.clock.advance(100)
    }
    expect((await Promise.all(sent)).map(([status]) => status)).toEqual([200, 200, 200, 200, 200])
    expect(await scene.pings(monitor.id)).toHaveLength(5)
    const { body } = await scene.api('GET', `/monitors/${monitor.id}/stats?period=24h`)
    expect(body).toMatchObject({ total_checks: 5, failed_checks: 2 })
  })
})

describe('a ping by a name', () => {
  let key: string
  beforeAll(async () => {
    key = (await scene.api('PUT', '/ping-key', {}, await scene.backend.member(scene.organization, 'owner'))).body.ping_key
  })

  const send = async (path: string) => {
    const { status, body } = await scene.backend.call('GET', `/ping/${path}`)
    return [status, body]
  }

  it('reaches the monitor of this name [BEAT-31]', async () => {
    const { id } = await scene.make({ url: 'heartbeat://by-name' })
    expect(await send(`${key}/by-name`)).toEqual([200, 'OK'])
    expect(await send(`${key}/by-name/fail`)).toEqual([200, 'OK'])
    expect(await scene.pings(id)).toMatchObject([{ kind: 'fail' }, { kind: 'success' }])
    expect(await send(`${key}/By-Name`)).toEqual([400, 'invalid url format'])
    expect(await send(`${key}/another`)).toEqual([404, 'not found'])
    expect(await send(key)).toEqual([404, 'not found'])
  })

  it('makes the monitor with create=1 [BEAT-32]', async () => {
    expect(await send(`${key}/made-by-ping/start?create=1`)).toEqual([201, 'Created'])
    expect(await send(`${key}/made-by-ping?create=1`)).toEqual([200, 'OK'])
    const { body } = await scene.api('GET', '/monitors?q=made-by-ping')
    expect(body.monitors).toMatchObject([
      { name: 'made-by-ping', type: 'heartbeat', url: 'heartbeat://made-by-ping', interval: 86_400 },
    ])
    expect(await scene.pings(body.monitors[0].id)).toHaveLength(2)
    const events = await scene.backend.pool.db
      .selectFrom('audit_event')
      .select(['actor_kind', 'ip'])
      .where('action', '=', 'monitor.created')
      .orderBy('id', 'desc')
      .limit(1)
      .execute()
    expect(events).toEqual([{ actor_kind: 'system', ip: '192.0.2.1' }])
  })

  it('needs a key, which an organization has once it is made [BEAT-33]', async () => {
    const owner = await scene.backend.member(await scene.backend.organization('New'), 'owner')
    const { body } = await scene.api('GET', '/ping-key', undefined, owner)
    expect(body).toEqual({ ping_key: null, ping_url: null, created_at: null })
  })

  it('reaches nothing in another organization [BEAT-34]', async () => {
    const other = await startOther()
    await scene.make({ url: 'heartbeat://mine' })
    expect(await send(`${other}/mine`)).toEqual([404, 'not found'])
  })

  const startOther = async () => {
    const organization = await scene.backend.organization('Other')
    const owner = await scene.backend.member(organization, 'owner')
    return (await scene.api('PUT', '/ping-key', {}, owner)).body.ping_key as string
  }

  it('with a replaced key is refused at once [BEAT-35]', async () => {
    await scene.make({ url: 'heartbeat://still-here' })
    const given = 'fqOOd6-F4MMNuCEnzTU01w'
    const { body } = await scene.api('PUT', '/ping-key', { ping_key: given })
    expect(body).toMatchObject({ ping_key: given, ping_url: `http://127.0.0.1:8080/ping/${given}` })
    expect(await send(`${key}/still-here`)).toEqual([404, 'not found'])
    expect(await send(`${given}/still-here`)).toEqual([200, 'OK'])
    expect((await scene.api('PUT', '/ping-key', { ping_key: 'short' })).status).toBe(400)
  })

  it('is made and seen by those who may [BEAT-36]', async () => {
    const viewer = await scene.backend.member(scene.organization, 'viewer')
    const member = await scene.backend.member(scene.organization, 'member')
    expect((await scene.api('GET', '/ping-key', undefined, viewer)).status).toBe(403)
    expect((await scene.api('GET', '/ping-key', undefined, member)).status).toBe(200)
    expect((await scene.api('PUT', '/ping-key', {}, member)).status).toBe(403)
  })
})

describe('a push of Uptime Kuma', () => {
  const push = async (monitor: { ping_url: string }, query: string, method = 'GET') => {
    const { status, body } = await scene.backend.call(method, `/api/push/${tokenOf(monitor)}${query}`)
    return [status, body]
  }

  it('turns the monitor red and green, with its message and time [BEAT-37]', async () => {
    const monitor = await scene.make({ credentials: { token: 'KumaToken12' } })
    expect(await push(monitor, '?status=down&msg=tape%20jam&ping=')).toEqual([200, { ok: true }])
    expect(await scene.details(monitor.id)).toMatchObject({ status: 'down' })
    expect(await push(monitor, '?status=up&msg=OK&ping=125.4', 'POST')).toEqual([200, { ok: true }])
    const details = await scene.details(monitor.id)
    expect(details).toMatchObject({ status: 'up' })
    expect(details.recent_checks[0]).toMatchObject({ outcome: 'up', response_ms: 125.4 })
    expect(await push(monitor, '')).toEqual([200, { ok: true }])
    expect((await scene.pings(monitor.id)).map(({ kind, body }) => [kind, body])).toEqual([
      ['success', null],
      ['success', null],
      ['fail', 'tape jam'],
    ])
  })

  it('that cannot be taken is answered as Kuma answers [BEAT-38]', async () => {
    const monitor = await scene.make()
    const unknown = { ping_url: 'http://127.0.0.1/ping/nobody-has-this' }
    const refused = { ok: false, msg: 'Monitor not found or not active.' }
    expect(await push(unknown, '')).toEqual([404, refused])
    expect(await push(monitor, '?ping=-1')).toEqual([
      404,
      { ok: false, msg: 'Invalid ping value. Must be between 0 and 100000000000 ms.' },
    ])
    await scene.api('POST', `/monitors/${monitor.id}/pause`)
    expect(await push(monitor, '')).toEqual([404, refused])
  })
})
