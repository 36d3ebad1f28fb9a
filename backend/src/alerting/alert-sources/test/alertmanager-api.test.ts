import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { isWhole } from '../../../../test/deal.ts'
import { LOCAL_TARGETS } from '../../../../test/alert-fixture.ts'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { type Receiver, startReceiver } from '../../../../test/receiver.ts'

const START = Date.parse('2026-11-30T10:00:00Z')
let backend: TestBackend
let receiver: Receiver
let admin: Credentials
let token: string
beforeAll(async () => {
  receiver = await startReceiver()
  backend = await startTestBackend({ startMs: START, environment: LOCAL_TARGETS })
})
afterAll(async () => {
  await backend.close()
  await receiver.close()
})
beforeEach(async () => {
  await backend.pool.pg.query('delete from open_incident')
  await backend.pool.pg.query('delete from notification_delivery')
  receiver.received.length = 0
  admin = await backend.apiKey(await backend.organization(), 'admin')
  const { id } = await call('POST', '/v1/channels', { name: 'hook', type: 'webhook', config: { url: receiver.url } })
  const source = { name: 'Alertmanager', type: 'alertmanager_api', channel_ids: [id], group_by: ['team'] }
  token = (await call('POST', '/v1/alert-sources', source)).token
})

const call = async (method: string, url: string, body?: unknown) => (await backend.call(method, url, { as: admin, body })).body
const api = (method: string, path: string, body?: unknown) =>
  backend.call(method, `/v1/in/alertmanager/${token}/api/v2/${path}`, { body })
const get = async (path: string) => (await api('GET', path)).body
const after = (minutes: number) => new Date(backend.clock.now() + minutes * 60_000).toISOString()
const alertOf = (alertname: string, own: object = {}) => ({
  labels: { alertname, team: 'shop', severity: 'page' },
  annotations: { summary: `${alertname} is bad`, description: 'since noon' },
  startsAt: after(-1),
  endsAt: after(4),
  generatorURL: 'http://prometheus.example/graph',
  ...own,
})
const silenceOf = (matchers: object[], own: object = {}) => ({
  matchers,
  startsAt: after(0),
  endsAt: after(60),
  createdBy: 'ada',
  comment: 'The disk is replaced',
  ...own,
})
const equal = (name: string, value: string) => ({ name, value, isRegex: false, isEqual: true })
const deliver = async () => {
  await backend.jobs.startDeliveries()
  await backend.jobs.idle()
}
const sent = () => receiver.received.map(({ body }) => JSON.parse(body).type)

describe('alerts by the API of Alertmanager', () => {
  it('are posted, listed as Alertmanager lists them, and end', async () => {
    const posted = await api('POST', 'alerts', [
      alertOf('Disk'),
      alertOf('CPU', { labels: { alertname: 'CPU' }, endsAt: undefined }),
    ])
    expect([posted.status, posted.body]).toEqual([200, undefined])
    const alerts = await get('alerts')
    expect(alerts).toHaveLength(2)
    expect(alerts.find(({ labels }: { labels: Record<string, string> }) => labels['alertname'] === 'Disk')).toEqual({
      annotations: { summary: 'Disk is bad', description: 'since noon' },
      startsAt: after(-1),
      endsAt: after(5),
      updatedAt: expect.any(String),
      fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
      receivers: [{ name: 'Alertmanager' }],
      status: { state: 'active', silencedBy: [], inhibitedBy: [], mutedBy: [] },
      generatorURL: 'http://prometheus.example/graph',
      labels: { alertname: 'Disk', team: 'shop', severity: 'page' },
    })
    const groups = await get('alerts/groups')
    expect(groups.map(({ labels, alerts: members }: { labels: object; alerts: [] }) => [labels, members.length])).toEqual(
      expect.arrayContaining([
        [{ team: 'shop' }, 1],
        [{}, 1],
      ]),
    )
    await api('POST', 'alerts', [
      alertOf('Disk', { endsAt: after(0) }),
      alertOf('CPU', { labels: { alertname: 'CPU' }, endsAt: after(0) }),
    ])
    expect(await get('alerts')).toEqual([])
  })

  it.each<[string, string[]]>([
    ['', ['CPU', 'Disk']],
    ['?filter=alertname%3D%22Disk%22', ['Disk']],
    ['?filter=alertname%21%3DDisk', ['CPU']],
    ['?filter=alertname%3D~%22D.%2B%7CX%22', ['Disk']],
    ['?filter=team%3Dshop&filter=alertname%3DCPU', ['CPU']],
    ['?active=false', []],
    ['?silenced=false&inhibited=false&unprocessed=false', ['CPU', 'Disk']],
    ['?receiver=Alert.*', ['CPU', 'Disk']],
    ['?receiver=other', []],
  ])('with %s are %j', async (query, names) => {
    await api('POST', 'alerts', [alertOf('Disk'), alertOf('CPU')])
    const alerts: { labels: Record<string, string> }[] = await get(`alerts${query}`)
    expect(alerts.map(({ labels }) => labels['alertname'] ?? '').toSorted()).toEqual(names)
  })

  it.each([
    ['GET', 'alerts?active=maybe', undefined, /active: must be true or false/],
    ['GET', 'alerts?filter=%3D', undefined, /filter: must be a matcher/],
    ['GET', 'alerts?filter=a%3D~%22(%22', undefined, /RE2/],
    ['POST', 'alerts', {}, /must be a list of alerts/],
    ['POST', 'alerts', [{ labels: {} }], /alerts\.0 has no labels/],
  ])('%s %s is refused with a text', async (method, path, body, message) => {
    const answer = await api(method, path, body)
    expect([answer.status, answer.body]).toEqual([400, expect.stringMatching(message)])
  })

  it('belong to the token, and count reads as scrapes', async () => {
    token = 'vdt_in_x'
    expect((await api('GET', 'alerts')).status).toBe(404)
    expect((await api('POST', 'alerts', [])).status).toBe(404)
    token = (await call('POST', '/v1/alert-sources', { name: 'x', type: 'grafana' })).token
    expect((await api('GET', 'alerts')).status).toBe(400)
  })

  it('are bounded where thousands of different ones come within a minute, and one incident says so', async () => {
    const parts = isWhole ? 10 : 2
    for (let part = 0; part < parts; part += 1) {
      const alerts = Array.from({ length: 1_000 }, (_, index) => ({
        labels: { alertname: `${part} ${index}` },
        endsAt: after(4),
      }))
      expect((await api('POST', 'alerts', alerts)).status).toBe(200)
      backend.clock.advance(5_000)
    }
    expect(await get('alerts')).toHaveLength(1_000)
    const { incidents, total } = await call('GET', '/v1/incidents?q=max_open&status=open')
    expect([total, incidents[0]]).toMatchObject([
      1,
      {
        severity: 'critical',
        summary: `Alertmanager: ${(parts - 1) * 1_000} alerts opened no incident, 1000 are open (max_open)`,
      },
    ])
  })

  it('have a status and receivers', async () => {
    expect(await get('status')).toMatchObject({
      cluster: { status: 'disabled', peers: [] },
      versionInfo: { version: '0.28.0' },
      config: { original: expect.stringContaining('"receiver":"Alertmanager"') },
      uptime: expect.any(String),
    })
    expect(await get('receivers')).toEqual([{ name: 'Alertmanager' }])
  })
})

describe('a silence', () => {
  it('lets an alert notify nobody until it ends, and is a maintenance window meanwhile', async () => {
    const { silenceID: id } = (await api('POST', 'silences', silenceOf([equal('alertname', 'Disk')]))).body
    expect(await get('silences')).toEqual([
      {
        id,
        status: { state: 'active' },
        updatedAt: after(0),
        comment: 'The disk is replaced',
        createdBy: 'ada',
        startsAt: after(0),
        endsAt: after(60),
        matchers: [equal('alertname', 'Disk')],
      },
    ])
    const [window] = (await call('GET', '/v1/maintenance-windows')).maintenance_windows
    expect(window).toMatchObject({
      name: 'The disk is replaced',
      target: { type: 'source', id: expect.stringMatching(/^als_/), tag: null },
      silence: { matchers: [{ name: 'alertname', value: 'Disk', is_regex: false }], created_by: 'ada' },
    })
    await api('POST', 'alerts', [alertOf('Disk'), alertOf('CPU', { labels: { alertname: 'CPU' } })])
    await deliver()
    expect(sent()).toEqual(['incident.opened'])
    expect((await get('alerts?silenced=false')).map(({ labels }: { labels: object }) => labels)).toMatchObject([
      { alertname: 'CPU' },
    ])
    expect((await get('alerts?active=false'))[0].status).toEqual({
      state: 'suppressed',
      silencedBy: [id],
      inhibitedBy: [],
      mutedBy: [],
    })
    await backend.jobs.reviewSuppressions()
    await deliver()
    expect(sent()).toHaveLength(1)
    expect((await api('DELETE', `silence/${id}`)).status).toBe(200)
    expect((await get(`silence/${id}`)).status).toEqual({ state: 'expired' })
    await backend.jobs.reviewSuppressions()
    // Two of one minute are one message.
    backend.clock.advance(61_000)
    await deliver()
    expect(sent()).toEqual(['incident.opened', 'incident.opened'])
  })

  it('by a list of words is of all of them, and can be changed', async () => {
    const words = { name: 'alertname', value: 'Disk|CPU', isRegex: true }
    const { silenceID: id } = (await api('POST', 'silences', silenceOf([words]))).body
    await api('POST', 'alerts', [alertOf('Disk'), alertOf('CPU'), alertOf('Net')])
    expect(await get('alerts?silenced=false')).toHaveLength(1)
    const changed = await api('POST', 'silences', silenceOf([words], { id, endsAt: after(90) }))
    expect(changed.body).toEqual({ silenceID: id })
    expect((await get('silences?filter=alertname%3D~%22Disk%7CCPU%22'))[0]).toMatchObject({ id, endsAt: after(90) })
    expect(await get('silences?filter=alertname%3DDisk')).toEqual([])
    const unknown = silenceOf([words], { id: '00000000-0000-4000-8000-000000000000' })
    expect((await api('POST', 'silences', unknown)).status).toBe(404)
  })

  it('is of its source alone', async () => {
    const { silenceID: id } = (await api('POST', 'silences', silenceOf([equal('alertname', 'Disk')]))).body
    token = (await call('POST', '/v1/alert-sources', { name: 'other', type: 'alertmanager_api' })).token
    expect(await get('silences')).toEqual([])
    expect((await api('GET', `silence/${id}`)).status).toBe(404)
    expect((await api('DELETE', `silence/${id}`)).status).toBe(404)
    await api('POST', 'alerts', [alertOf('Disk')])
    expect((await get('alerts'))[0].status.state).toBe('active')
  })

  it.each([
    [[], {}, /matchers: must be 1 to 64 matchers/],
    [[equal('a', '')], {}, /absent label/],
    [[{ name: 'a', value: 'b.*', isRegex: true }], {}, /matchers\.0\.value: must list words/],
    [[{ name: 'a', value: 'b', isRegex: false, isEqual: false }], {}, /matchers\.0\.isEqual: must be true/],
    [[equal('a', 'b')], { endsAt: '2020-01-01T00:00:00Z' }, /endsAt: must be after startsAt and in the future/],
    [[equal('a', 'b')], { endsAt: '2027-11-30T10:00:00Z' }, /endsAt: must be at most 31 days/],
    [[equal('a', 'b')], { startsAt: 'now' }, /startsAt: must be an instant/],
    [[equal('a', 'b')], { createdBy: '' }, /createdBy: must be a text/],
  ])('of %j with %j is refused with a text', async (matchers, own, message) => {
    const answer = await api('POST', 'silences', silenceOf(matchers, own))
    expect([answer.status, answer.body]).toEqual([400, expect.stringMatching(message)])
  })
})
