import { randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { freePort } from '../../../../../scripts/test-tools.ts'
import { createAlertFixture, type AlertFixture, LOCAL_TARGETS } from '../../../../test/alert-fixture.ts'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { type Receiver, startReceiver } from '../../../../test/receiver.ts'
import { startTestSmtp } from '../../../../test/smtp.ts'
import { encodeId } from '../../../platform/ids.ts'

let backend: TestBackend
let organization: TestOrganization
let admin: Credentials
let receiver: Receiver
let alerts: AlertFixture
beforeAll(async () => {
  backend = await startTestBackend({ environment: LOCAL_TARGETS })
})
afterAll(() => backend.close())
beforeEach(async () => {
  organization = await backend.organization()
  // A session would end before a day has passed.
  admin = await backend.apiKey(organization, 'admin')
  receiver = await startReceiver()
  alerts = await createAlertFixture(backend, organization, admin)
  return () => receiver.close()
})

const typesReceived = (own = receiver) => own.received.map(({ body }) => (JSON.parse(body) as { type: string }).type)
const ids = (own = receiver) => own.received.map(({ headers }) => headers['webhook-id'])
const refusing = (status: number) => receiver.answer((response) => void response.writeHead(status).end('no'))
const taking = () => receiver.answer((response) => void response.writeHead(204).end())
const auditOf = async (action: string) =>
  (await backend.call('GET', `/v1/audit-events?action=${action}`, { as: admin })).body.audit_events

describe('a webhook', () => {
  it('receives each step of an incident, signed as Standard Webhooks require [CHANNEL-07, CHANNEL-08]', async () => {
    await alerts.channel('webhook', { url: `${receiver.url}/hook` })
    const id = await alerts.open()
    await alerts.deliver()
    backend.clock.advance(1_000)
    await alerts.acknowledge(id)
    await alerts.deliver()
    await alerts.resolve(id)
    await alerts.deliver()
    expect(typesReceived()).toEqual(['incident.opened', 'incident.acknowledged', 'incident.resolved'])
    expect(new Set(ids()).size).toBe(3)
    const [opened, , resolved] = receiver.received
    expect(opened).toMatchObject({ method: 'POST', path: '/hook' })
    expect(opened?.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Vedette' })
    const sent = JSON.parse(opened?.body ?? '')
    const path = `/v1/incidents/${encodeId('incident', id)}`
    const { children: _children, child_count: _count, ...shown } = (await backend.call('GET', path, { as: admin })).body
    expect(sent).toEqual({
      type: 'incident.opened',
      timestamp: shown.opened_at,
      data: {
        incident: {
          ...shown,
          status: 'open',
          acknowledged_at: null,
          acknowledged_by: null,
          resolved_at: null,
          timeline: [{ at: shown.opened_at, type: 'opened', message: 'Shop is down: no answer' }],
        },
      },
    })
    expect(JSON.parse(resolved?.body ?? '').data.incident).toEqual(shown)
  })

  it('is verified by the library of Standard Webhooks with the returned secret [CHANNEL-08]', async () => {
    backend.clock.advance(Date.now() - backend.clock.now())
    await backend.jobs.keepPartitions()
    const { config } = await alerts.channel('webhook', { url: receiver.url })
    await alerts.open()
    await alerts.deliver()
    const [{ body, headers } = { body: '', headers: {} }] = receiver.received
    const hook = new Webhook(config['secret'] as string)
    expect(hook.verify(body, headers as never)).toMatchObject({ type: 'incident.opened' })
    expect(() => hook.verify(`${body} `, headers as never)).toThrow(/signature/i)
  })

  it('is also signed with the previous secret for a day after a change', async () => {
    backend.clock.advance(Date.now() - backend.clock.now())
    await backend.jobs.keepPartitions()
    const channel = await alerts.channel('webhook', { url: receiver.url })
    const { config } = await alerts.call('PATCH', `/v1/channels/${channel.id}`, { config: { secret: null } })
    await alerts.open()
    await alerts.deliver()
    const [first] = receiver.received
    for (const secret of [channel.config['secret'], config.secret])
      expect(new Webhook(secret).verify(first?.body ?? '', first?.headers as never)).toBeDefined()
    expect(String(first?.headers['webhook-signature']).split(' ')).toHaveLength(2)
    await alerts.call('PATCH', `/v1/channels/${channel.id}`, { name: 'renamed' })
    backend.clock.advance(86_400_000)
    await alerts.open()
    await alerts.deliver()
    expect(String(receiver.received[1]?.headers['webhook-signature']).split(' ')).toHaveLength(1)
    expect((await alerts.call('GET', `/v1/channels/${channel.id}`)).config).toEqual({ url: receiver.url, secret: '•••' })
  })

  it('has its last failure, without secrets, until a delivery succeeds [CHANNEL-12]', async () => {
    const { id } = await alerts.channel('ntfy', { url: receiver.url, topic: 'ops', token: 'tk_0123456789' })
    const fault = async () => (await alerts.call('GET', `/v1/channels/${id}`)).last_error
    expect(await fault()).toBeNull()
    receiver.answer((response, { headers }) => void response.writeHead(403).end(`no entry with ${headers.authorization}`))
    await alerts.open()
    await alerts.deliver()
    const first = new Date(backend.clock.now()).toISOString()
    expect(await fault()).toMatchObject({ at: first, code: 'refused', attempts: 1 })
    backend.clock.advance(10_000)
    await alerts.deliver()
    await alerts.call('POST', `/v1/channels/${id}/test`)
    const { channels } = await alerts.call('GET', '/v1/channels')
    expect(channels[0].last_error).toMatchObject({
      attempts: 3,
      message: expect.stringMatching(/^the service answered 403: no entry with/),
    })
    expect(JSON.stringify(channels)).not.toMatch(/0123456789/)
    await alerts.call('PATCH', `/v1/channels/${id}`, { name: 'renamed' })
    expect(await fault()).toMatchObject({ attempts: 3 })
    taking()
    backend.clock.advance(60_000)
    await alerts.deliver()
    expect(await fault()).toBeNull()
    refusing(500)
    await alerts.call('POST', `/v1/channels/${id}/test`)
    expect(await fault()).toMatchObject({ attempts: 1 })
    await alerts.call('PATCH', `/v1/channels/${id}`, { config: { topic: 'others' } })
    expect(await fault()).toBeNull()
  })

  it('receives retries under the same id after the documented pauses until it accepts [CHANNEL-08, CHANNEL-10]', async () => {
    await alerts.channel('webhook', { url: receiver.url })
    refusing(500)
    await alerts.open()
    const pauses: number[] = []
    for (let tries = 1; tries <= 8; tries += 1) {
      await alerts.deliver()
      const [delivery] = await alerts.waiting()
      expect(receiver.received).toHaveLength(tries)
      const pause = (delivery?.next_attempt_at?.getTime() ?? 0) - backend.clock.now()
      pauses.push(pause / 1000)
      backend.clock.advance(pause - 1)
      await alerts.deliver()
      expect(receiver.received).toHaveLength(tries)
      backend.clock.advance(1)
    }
    for (const [index, seconds] of [5, 30, 120, 600, 1800, 3600, 3600, 3600].entries()) {
      expect(pauses[index]).toBeGreaterThanOrEqual(0.8 * seconds)
      expect(pauses[index]).toBeLessThanOrEqual(1.2 * seconds)
    }
    taking()
    await alerts.deliver()
    expect([new Set(ids()).size, new Set(receiver.received.map(({ body }) => body)).size]).toEqual([1, 1])
    expect(await alerts.waiting()).toEqual([])
  })

  it('that refuses for a day is given up, which is audited [CHANNEL-10]', async () => {
    const { id } = await alerts.channel('webhook', { url: receiver.url })
    refusing(500)
    await alerts.open()
    const startMs = backend.clock.now()
    for (let waiting = await alerts.waiting(); waiting.length > 0; waiting = await alerts.waiting()) {
      backend.clock.advance(Math.max(0, (waiting[0]?.next_attempt_at?.getTime() ?? 0) - backend.clock.now()))
      await alerts.deliver()
    }
    expect((backend.clock.now() - startMs) / 3_600_000).toBeGreaterThan(22)
    expect((backend.clock.now() - startMs) / 3_600_000).toBeLessThanOrEqual(24)
    expect(new Set(ids()).size).toBe(1)
    expect(await auditOf('notification.failed')).toMatchObject([
      { target: { type: 'channel', id }, details: { reason: 'the service answered 500: no', tries: receiver.received.length } },
    ])
  })

  it('receives the steps of an incident in their order, also after retries', async () => {
    await alerts.channel('webhook', { url: receiver.url })
    refusing(503)
    const id = await alerts.open()
    await alerts.deliver()
    await alerts.acknowledge(id)
    await alerts.resolve(id)
    const other = await alerts.open()
    taking()
    await alerts.deliver()
    // The other incident does not wait.
    expect(typesReceived()).toEqual(['incident.opened', 'incident.opened'])
    await alerts.resolve(other)
    await alerts.deliver()
    backend.clock.advance(6_000)
    await alerts.deliver()
    expect(typesReceived().slice(2)).toEqual([
      'incident.resolved',
      'incident.opened',
      'incident.acknowledged',
      'incident.resolved',
    ])
    expect(await alerts.waiting()).toEqual([])
  })
})

describe('the recipients of an incident', () => {
  it('are the enabled channels of the rule; of later steps those that were notified of the opening', async () => {
    const others = [await startReceiver(), await startReceiver(), await startReceiver()]
    const [disabled, late, gone] = others as [Receiver, Receiver, Receiver]
    await alerts.channel('webhook', { url: receiver.url })
    const off = await alerts.channel('webhook', { url: disabled.url })
    const leaving = await alerts.channel('webhook', { url: gone.url })
    await alerts.call('PATCH', `/v1/channels/${off.id}`, { enabled: false })
    const id = await alerts.open()
    await alerts.deliver()
    await alerts.channel('webhook', { url: late.url })
    await alerts.call('PATCH', `/v1/channels/${off.id}`, { enabled: true })
    await alerts.call('DELETE', `/v1/channels/${leaving.id}`)
    await alerts.resolve(id)
    await alerts.deliver()
    expect(typesReceived()).toEqual(['incident.opened', 'incident.resolved'])
    expect([typesReceived(disabled), typesReceived(late), typesReceived(gone)]).toEqual([[], [], ['incident.opened']])
    await Promise.all(others.map((one) => one.close()))
  })

  it('are none where the incident is suppressed', async () => {
    await alerts.channel('webhook', { url: receiver.url })
    const id = await alerts.open({ silenced: true })
    await alerts.resolve(id)
    expect(await alerts.waiting()).toEqual([])
  })

  it('are not the channels that are deleted or disabled before the delivery', async () => {
    const [one, other] = [
      await alerts.channel('webhook', { url: receiver.url }),
      await alerts.channel('webhook', { url: `${receiver.url}/other` }),
    ]
    await alerts.open()
    await alerts.call('DELETE', `/v1/channels/${one.id}`)
    await alerts.call('PATCH', `/v1/channels/${other.id}`, { enabled: false })
    await alerts.deliver()
    expect([receiver.received, await alerts.waiting()]).toEqual([[], []])
  })
})

describe('a delivery', () => {
  it('is stored together with its incident, or neither is [CHANNEL-09]', async () => {
    await alerts.channel('webhook', { url: receiver.url })
    const summary = '\u0000' // no text for Postgres: the last statement of the transaction fails
    await expect(alerts.open({ summary })).rejects.toThrow('invalid byte sequence')
    expect(await alerts.waiting()).toEqual([])
    await alerts.open()
    expect(await alerts.waiting()).toMatchObject([{ attempts: 0 }])
    expect(receiver.received).toEqual([])
  })

  it('is sent under the same id by another process after its process died [CHANNEL-08, CHANNEL-09]', async () => {
    await alerts.channel('webhook', { url: receiver.url })
    await alerts.open()
    const [delivery] = await alerts.waiting()
    receiver.answer((response) => void response.destroy())
    await alerts.deliver()
    // As the lease leaves it.
    await backend.pool.db
      .updateTable('notification_delivery')
      .set({ next_attempt_at: new Date(backend.clock.now() + 30_000), attempts: 0 })
      .where('id', '=', delivery?.id ?? '')
      .execute()
    taking()
    const second = await startTestBackend({
      databaseUrl: backend.databaseUrl,
      clock: backend.clock,
      environment: LOCAL_TARGETS,
    })
    const deliverFromSecond = async () => {
      await second.jobs.startDeliveries()
      await second.jobs.idle()
    }
    await deliverFromSecond()
    expect(receiver.received).toHaveLength(1)
    backend.clock.advance(30_000)
    await deliverFromSecond()
    expect(ids()).toEqual(Array(2).fill(encodeId('notification', delivery?.id ?? '')))
    await second.close()
  })

  it('is sent once by two processes at the same moment', async () => {
    await alerts.channel('webhook', { url: receiver.url })
    for (let count = 0; count < 30; count += 1) await alerts.open()
    const second = await startTestBackend({
      databaseUrl: backend.databaseUrl,
      clock: backend.clock,
      environment: LOCAL_TARGETS,
    })
    for (const { jobs } of [backend, second]) await jobs.startDeliveries()
    for (const { jobs } of [backend, second]) await jobs.idle()
    expect([receiver.received.length, new Set(ids()).size]).toEqual([30, 30])
    await second.close()
  })

  it('does not wait for a channel that hangs', async () => {
    const dead = await startReceiver()
    dead.answer(() => undefined)
    await alerts.channel('webhook', { url: dead.url })
    await alerts.channel('webhook', { url: receiver.url })
    for (let count = 0; count < 20; count += 1) await alerts.open()
    await backend.jobs.startDeliveries()
    await receiver.until(20)
    expect(typesReceived()).toHaveLength(20)
    await dead.until(8)
    expect(dead.received).toHaveLength(8)
    await dead.close()
    await backend.jobs.idle()
    expect((await alerts.waiting()).every(({ attempts }) => attempts === 1)).toBe(true)
  })

  it('is due again at once where its process ends', async () => {
    const second = await startTestBackend({
      databaseUrl: backend.databaseUrl,
      clock: backend.clock,
      environment: LOCAL_TARGETS,
    })
    await alerts.channel('webhook', { url: receiver.url })
    receiver.answer(() => undefined)
    await alerts.open()
    await second.jobs.startDeliveries()
    await receiver.until(1)
    second.jobs.end()
    await second.jobs.idle()
    taking()
    await alerts.deliver()
    expect([receiver.received.length, new Set(ids()).size]).toEqual([2, 1])
    await second.close()
  })
})

describe('the request to a receiver', () => {
  const reasonOf = async () => {
    await alerts.deliver()
    const [delivery] = await alerts.waiting()
    return delivery?.attempts
  }
  it('goes to no private address, however it is written, and not by a redirect either [CHANNEL-11]', async () => {
    const strict = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
    const { port } = new URL(receiver.url)
    for (const host of [
      '127.0.0.1',
      'localhost',
      '[::1]',
      '127.1',
      '2130706433',
      '0x7f000001',
      '[::ffff:7f00:1]',
      '169.254.169.254',
    ]) {
      const config = { url: `http://${host}:${port}/` }
      const { id } = await alerts.call('POST', '/v1/channels', { name: host, type: 'webhook', config })
      const { body } = await strict.call('POST', `/v1/channels/${id}/test`, { as: admin })
      expect([host, body.delivered, body.error?.code]).toEqual([host, false, 'blocked'])
      await alerts.call('DELETE', `/v1/channels/${id}`)
    }
    expect(receiver.received).toEqual([])
    await strict.close()
    const { id } = await alerts.channel('webhook', { url: receiver.url })
    receiver.answer((response) => void response.writeHead(307, { location: 'http://10.0.0.1/' }).end())
    const { body } = await backend.call('POST', `/v1/channels/${id}/test`, { as: admin })
    expect(body).toMatchObject({ delivered: false, error: { code: 'blocked' } })
    await alerts.open()
    expect(await reasonOf()).toBe(1)
  })

  it('follows three redirects that repeat the request, and none that would turn it into a GET', async () => {
    const { id } = await alerts.channel('webhook', { url: `${receiver.url}/3` })
    const test = async () => (await backend.call('POST', `/v1/channels/${id}/test`, { as: admin })).body
    receiver.answer((response, { path }) => {
      const left = Number(path.slice(1))
      response.writeHead(left === 0 ? 200 : 308, left === 0 ? {} : { location: `/${left - 1}` }).end()
    })
    expect(await test()).toMatchObject({ delivered: true, status_code: 200 })
    expect(receiver.received.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /3', 'POST /2', 'POST /1', 'POST /0'])
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
    await alerts.call('PATCH', `/v1/channels/${id}`, { config: { url: `${receiver.url}/4` } })
    expect(await test()).toMatchObject({ error: { code: 'protocol', message: 'more than 3 redirects' } })
    receiver.answer((response) => void response.writeHead(302, { location: '/elsewhere' }).end())
    expect(await test()).toMatchObject({ delivered: false, status_code: 302, error: { code: 'refused' } })
  })

  it('reads only the beginning of an endless response', async () => {
    const { id } = await alerts.channel('webhook', { url: receiver.url })
    let sent = 0
    const closed = new Promise<void>((resolve) =>
      receiver.answer((response) => {
        response.writeHead(200)
        const more = () => {
          while (!response.destroyed && response.write('x'.repeat(65_536))) sent += 65_536
        }
        response.on('drain', more).on('close', resolve)
        more()
      }),
    )
    const { body } = await backend.call('POST', `/v1/channels/${id}/test`, { as: admin })
    expect([body.delivered, body.answer.length]).toEqual([true, 1000])
    await closed
    expect(sent).toBeLessThan(20_000_000)
  })
})

describe('POST /v1/channels/:id/test', () => {
  const test = (id: string, as = admin) => backend.call('POST', `/v1/channels/${id}/test`, { as })

  it('sends once and returns the answer of the service, also for a disabled channel [CHANNEL-05]', async () => {
    const { id } = await alerts.channel('webhook', { url: receiver.url })
    await alerts.call('PATCH', `/v1/channels/${id}`, { enabled: false })
    receiver.answer((response) => void response.writeHead(202).end('thank you'))
    expect(await test(id)).toMatchObject({
      status: 200,
      body: { delivered: true, status_code: 202, answer: 'thank you', error: null },
    })
    expect(typesReceived()).toEqual(['channel.test'])
    receiver.answer((response) => void response.writeHead(404).end('no such\nhook'))
    expect((await test(id)).body).toEqual({
      delivered: false,
      status_code: 404,
      answer: 'no such hook',
      error: { code: 'refused', message: 'the service answered 404: no such hook' },
    })
    await alerts.call('PATCH', `/v1/channels/${id}`, { config: { url: `http://127.0.0.1:${await freePort()}/` } })
    expect((await test(id)).body).toMatchObject({ delivered: false, status_code: null, error: { code: 'connect' } })
    expect(await alerts.waiting()).toEqual([])
  })

  it('shows no secret that the service repeats, and the audit log has none [CHANNEL-14]', async () => {
    const token = 'tk_0123456789'
    const { id } = await alerts.channel('ntfy', { url: receiver.url, topic: 'ops', token })
    for (const status of [200, 403]) {
      receiver.answer((response, { headers }) => void response.writeHead(status).end(`it was ${headers.authorization?.slice(7)}`))
      const { body } = await test(id)
      expect([body.status_code, body.answer]).toEqual([status, 'it was •••'])
      expect(JSON.stringify(body)).not.toContain(token)
    }
    await alerts.open()
    for (let hours = 0; hours <= 25; hours += 1) {
      await alerts.deliver()
      backend.clock.advance(3_600_000)
    }
    const [{ details }] = await auditOf('notification.failed')
    expect(details.reason).toBe('the service answered 403: it was •••')
  })

  it('is kept with its result, until the config changes', async () => {
    const { id } = await alerts.channel('webhook', { url: receiver.url })
    const lastTest = async () => (await alerts.call('GET', `/v1/channels/${id}`)).last_test
    expect(await lastTest()).toBeNull()
    await test(id)
    const at = new Date(backend.clock.now()).toISOString()
    expect(await lastTest()).toEqual({ at, delivered: true })
    refusing(500)
    backend.clock.advance(1_000)
    await test(id)
    const later = { at: new Date(backend.clock.now()).toISOString(), delivered: false }
    expect(await lastTest()).toEqual(later)
    await alerts.call('PATCH', `/v1/channels/${id}`, { name: 'renamed' })
    expect(await lastTest()).toEqual(later)
    await alerts.call('PATCH', `/v1/channels/${id}`, { config: { url: `${receiver.url}/other` } })
    expect(await lastTest()).toBeNull()
  })

  it('tests a channel that is not created yet, and stores none', async () => {
    const draft = (body: object, as = admin) => backend.call('POST', '/v1/channels/test', { as, body })
    const { body: before } = await backend.call('GET', '/v1/channels', { as: admin })
    const body = { name: 'Draft', type: 'webhook', config: { url: receiver.url } }
    receiver.answer((response) => void response.writeHead(200).end('fine'))
    expect(await draft(body)).toMatchObject({ status: 200, body: { delivered: true, answer: 'fine' } })
    receiver.answer((response) => void response.writeHead(410).end())
    expect((await draft(body)).body).toMatchObject({ delivered: false, status_code: 410, error: { code: 'refused' } })
    expect(typesReceived()).toEqual(['channel.test', 'channel.test'])
    expect((await draft({ ...body, config: {} })).body.error.details).toMatchObject([{ path: 'config.url' }])
    expect((await draft(body, await backend.member(organization, 'member'))).status).toBe(403)
    expect((await backend.call('GET', '/v1/channels', { as: admin })).body.total).toBe(before.total)
  })

  it('is a 403 for a member, and a 404 for what is unknown, malformed or of another organization', async () => {
    const { id } = await alerts.channel('webhook', { url: receiver.url })
    expect((await test(id, await backend.member(organization, 'member'))).status).toBe(403)
    const outsider = await backend.member(await backend.organization('Strange'), 'owner')
    expect((await test(id, outsider)).status).toBe(404)
    for (const other of ['nonsense', encodeId('channel', randomUUID())]) expect((await test(other)).status).toBe(404)
    expect(receiver.received).toEqual([])
  })
})

describe('a channel of type email', () => {
  it('stores one mail in the outbox, which sends it; without a mail server it is an error', async () => {
    const smtp = await startTestSmtp()
    const mailing = await startTestBackend({
      databaseUrl: backend.databaseUrl,
      clock: backend.clock,
      environment: { VEDETTE_SMTP_URL: smtp.url, VEDETTE_PUBLIC_URL: 'https://vedette.example.com' },
    })
    const { id } = await alerts.channel('email', { to: 'ops@example.com' })
    const test = (on: TestBackend) => on.call('POST', `/v1/channels/${id}/test`, { as: admin })
    expect((await test(backend)).body).toMatchObject({ delivered: false, error: { code: 'not_set_up' } })
    expect((await test(mailing)).body).toMatchObject({ delivered: true, status_code: null, answer: null })
    const incident = await alerts.open()
    await mailing.jobs.startDeliveries()
    await mailing.jobs.idle()
    expect(await alerts.waiting()).toEqual([])
    await mailing.jobs.sendMails()
    expect(smtp.mails.map(({ to }) => to)).toEqual([['ops@example.com'], ['ops@example.com']])
    const mail = smtp.mails.find(({ raw }) => /^Subject: Shop is down: no answer\r$/m.test(raw))
    expect(mail?.text).toContain(`https://vedette.example.com/incidents/${encodeId('incident', incident)}`)
    await mailing.close()
    await smtp.close()
  })
})

describe('an incident that nobody acknowledges', () => {
  const minute = 60_000
  const after = async (ms: number) => {
    backend.clock.advance(ms)
    await backend.jobs.notifyOverdue()
    await alerts.deliver()
  }
  beforeEach(async () => {
    alerts = await createAlertFixture(backend, organization, admin, { repeat_seconds: 600 })
    await alerts.channel('webhook', { url: receiver.url })
  })

  it('is notified again at the interval of its rule, each time under another id', async () => {
    await alerts.open()
    await alerts.deliver()
    await after(10 * minute - 1)
    expect(typesReceived()).toHaveLength(1)
    await after(1)
    await after(5 * minute)
    await after(5 * minute)
    expect(typesReceived()).toEqual(Array(3).fill('incident.opened'))
    expect(new Set(ids()).size).toBe(3)
    const said = receiver.received.map(({ body }) => JSON.parse(body))
    expect(said.map(({ data }) => data.reminder)).toEqual([undefined, 1, 2])
    expect(new Date(said[2].timestamp).getTime()).toBe(backend.clock.now())
  })

  it('is not notified again once it is acknowledged or resolved', async () => {
    const [one, other] = [await alerts.open(), await alerts.open()]
    await alerts.deliver()
    await alerts.acknowledge(one)
    await alerts.resolve(other)
    await alerts.deliver()
    expect(typesReceived()).toHaveLength(4)
    await after(60 * minute)
    expect(typesReceived()).toHaveLength(4)
  })

  it('is not notified again before the first delivery succeeds, where it is suppressed, or without a repeat interval', async () => {
    refusing(500)
    await alerts.open()
    await alerts.deliver()
    await alerts.open({ silenced: true })
    const quiet = await createAlertFixture(backend, organization, admin)
    await quiet.channel('webhook', { url: `${receiver.url}/quiet` })
    await quiet.open()
    await after(10 * minute)
    expect((await alerts.waiting()).map(({ payload }) => payload.incident_id)).toHaveLength(2)
    taking()
    await after(30 * minute)
    expect(
      new Set(receiver.received.filter(({ path }) => path === '/quiet').map(({ headers }) => headers['webhook-id'])).size,
    ).toBe(1)
  })

  it('is notified again once by two processes at the same moment', async () => {
    await alerts.open()
    await alerts.deliver()
    const second = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock, environment: LOCAL_TARGETS })
    backend.clock.advance(10 * minute)
    await Promise.all([backend.jobs.notifyOverdue(), second.jobs.notifyOverdue(), backend.jobs.notifyOverdue()])
    await alerts.deliver()
    expect(typesReceived()).toHaveLength(2)
    await second.close()
  })
})
