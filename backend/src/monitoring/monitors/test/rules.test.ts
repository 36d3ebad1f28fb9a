import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { someOf } from '../../../../../scripts/test-rounds.ts'
import type { Answer } from '../../../../test/answer.ts'
import { isWhole } from '../../../../test/deal.ts'
import { type Scene, startScene, UNKNOWN } from './scene.ts'

let scene: Scene
let foreignServer: string
beforeAll(async () => {
  scene = await startScene()
  foreignServer = (await scene.backend.server(await scene.backend.organization('Other'))).id
})
afterAll(() => scene.backend.close())

const whole = { name: 'site', url: 'https://example.com/' }
const header = (name: string, value = 'x') => ({ headers: { [name]: value } })
const assertion = (...assertions: object[]) => ({ assertions })

describe('the definition of a monitor', () => {
  let id: string
  let before: unknown
  let count: number
  beforeAll(async () => {
    id = (await scene.make()).id
    before = (await scene.call('GET', `/${id}`)).body
    count = (await scene.call('GET', '')).body.total
  })
  const WAYS: readonly [prefix: string, send: (body: object) => Promise<Answer>][] = [
    ['', (body) => scene.call('POST', '', { ...whole, ...body })],
    ['', (body) => scene.call('POST', '/test', { ...whole, ...body })],
    ['', (body) => scene.call('PATCH', `/${id}`, body)],
    ['create.1.', (body) => scene.call('POST', '/bulk', { create: [whole, { ...whole, ...body }] })],
  ]
  let turn = 0
  /** In one of the ways in turn, at night in all. */
  async function expectRefusal(path: string, body: object) {
    turn += 1
    for (const [prefix, send] of someOf(WAYS, isWhole ? WAYS.length : 1, turn)) {
      const answer = await send(body)
      expect([answer.status, answer.body.error.code, answer.body.error.details?.[0].path]).toEqual([
        400,
        'validation_error',
        `${prefix}${path}`,
      ])
    }
    expect((await scene.call('GET', `/${id}`)).body).toEqual(before)
    expect((await scene.call('GET', '')).body.total).toBe(count)
  }

  it.each<[path: string, body: object]>([
    ['url', { url: '' }],
    ['url', { url: 'example.com' }],
    ['url', { url: 'ftp://example.com/' }],
    ['url', { url: 'https://' }],
    ['url', { url: 'https://ada:secret@example.com/' }],
    ['url', { url: 'https://ada@example.com/' }],
    ['url', { url: `https://example.com/${'x'.repeat(2_029)}` }],
    ['type', { type: 'quic' }],
  ])('is a 400 that names %s for %j, wherever it is sent [MON-15, MON-30]', expectRefusal)

  it.each<[path: string, body: object]>([
    ['method', { method: 'get' }],
    ['method', { method: 'TRACE' }],
    ['body', { body: 'x' }],
    ['body', { method: 'HEAD', body: '' }],
    ['body', { method: 'POST', body: 'x'.repeat(65_537) }],
    ['body', { method: 'POST', body: 'ü'.repeat(32_769) }],
    ['headers.Connection', header('Connection')],
    ['headers.transfer-encoding', header('transfer-encoding')],
    ['headers.a b', header('a b')],
    ['headers.A', header('A', 'a\r\nB: c')],
    ['headers.A', header('A', '•••')],
    ['headers.a', { headers: { A: 'x', a: 'y' } }],
    ['headers', { headers: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`h${index}`, 'x'])) }],
  ])('is a 400 that names %s for %j, wherever it is sent [MON-16, MON-17, MON-21]', expectRefusal)

  it.each<[path: string, body: object]>([
    ['interval', { interval: 9 }],
    ['interval', { interval: 86_401 }],
    ['interval', { interval: 60.5 }],
    ['interval', { interval: '60' }],
    ['timeout', { timeout: 0 }],
    ['timeout', { timeout: 61, interval: 3_600 }],
    ['timeout', { timeout: 30, interval: 20 }],
    ['regions', { regions: [] }],
    ['regions', { regions: ['local', 'local'] }],
    ['regions', { regions: Array.from({ length: 21 }, (_, index) => `r${index}`) }],
    ['regions.1', { regions: ['local', 'mars'] }],
    ['regions.0', { regions: ['LOCAL'] }],
    ['confirmations', { confirmations: 0 }],
    ['confirmations', { confirmations: 11 }],
  ])('is a 400 that names %s for %j, wherever it is sent [MON-18, MON-20, MON-35]', expectRefusal)

  it.each<[path: string, body: object]>([
    ['assertions', assertion(...Array.from({ length: 21 }, () => ({ type: 'status_code', operator: 'equals', value: 200 })))],
    ['assertions.0.type', assertion({ type: 'weather', operator: 'equals', value: 200 })],
    ['assertions.0.operator', assertion({ type: 'status_code', operator: 'contains', value: 200 })],
    [
      'assertions.1.value',
      assertion(
        { type: 'response_time', operator: 'less_than', value: 1 },
        { type: 'status_code', operator: 'equals', value: '200' },
      ),
    ],
    ['assertions.0.property', assertion({ type: 'header', operator: 'exists' })],
    ['assertions.0.value', assertion({ type: 'body', operator: 'matches', value: '(' })],
    ['assertions.0.value', assertion({ type: 'body', operator: 'matches', value: '(a)\\1' })],
    ['assertions.0.property', assertion({ type: 'json_path', operator: 'exists', property: '$.[' })],
    ['assertions.0.extra', assertion({ type: 'status_code', operator: 'equals', value: 200, extra: 1 })],
    ['tags', { tags: Array.from({ length: 21 }, (_, index) => `t${index}`) }],
    ['tags', { tags: ['a', 'a'] }],
    ['tags.0', { tags: [''] }],
  ])('is a 400 that names %s for %j, wherever it is sent [MON-22, MON-31]', expectRefusal)

  it.each<[path: string, body: object]>([
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(201) }],
    ['name', { name: null }],
    ['name', { name: 'a\0b' }],
    ['server_id', { server_id: 'srv_01h455vb4pex5vsknk084sn02q' }],
    ['server_id', { server_id: 'nonsense' }],
    ['server_id', { server_id: '' }],
    ['server_id', { server_id: UNKNOWN }],
    ['follow_redirects', { follow_redirects: 1 }],
    ['verify_tls', { verify_tls: null }],
    ['status', { status: 'paused' }],
    ['id', { id: UNKNOWN }],
    ['created_at', { created_at: '2020-01-01T00:00:00.000Z' }],
    ['organization_id', { organization_id: 'org_01h455vb4pex5vsknk084sn02q' }],
  ])('is a 400 that names %s for %j, wherever it is sent', expectRefusal)

  it.each(['name', 'url'])('needs a %s [MON-14]', async (field) => {
    const { [field as 'name']: _left, ...rest } = whole
    const { status, body } = await scene.call('POST', '', rest)
    expect([status, body.error.details[0]]).toEqual([400, { path: field, message: 'is required' }])
  })

  it.each([
    { name: 'x'.repeat(200) },
    { url: 'HTTPS://EXAMPLE.COM:8443/%20?q=ü#part' },
    { url: 'http://[2001:db8::1]/' },
    { url: `https://example.com/${'x'.repeat(2_028)}` },
    { interval: 10, timeout: 10 },
    { interval: 86_400, timeout: 60 },
    { method: 'DELETE', body: 'x'.repeat(65_536) },
    { method: 'OPTIONS' },
    { headers: { host: 'a.example.com:80', 'X-~!': 'x' } },
    { tags: Array.from({ length: 20 }, (_, index) => `t${index}`) },
    { server_id: null, body: null },
  ])('is accepted with %j [MON-15, MON-17, MON-18]', async (body) =>
    expect((await scene.call('POST', '', { ...whole, ...body })).status).toBe(201),
  )

  it('gets the unit of an invalid timeout in the error of the field that was sent [MON-19]', async () => {
    const first = await scene.call('POST', '', { ...whole, timeout: 30, interval: 20 })
    expect(first.body.error.details).toEqual([{ path: 'timeout', message: 'must not be longer than the interval of 20 seconds' }])
    const { id } = await scene.make({ timeout: 30 })
    const changed = await scene.call('PATCH', `/${id}`, { interval: 20 })
    expect(changed.body.error.details).toEqual([
      { path: 'interval', message: 'must not be shorter than the timeout of 30 seconds' },
    ])
    expect((await scene.call('PATCH', `/${id}`, { interval: 20, timeout: 5 })).body).toMatchObject({ interval: 20, timeout: 5 })
  })

  it('is validated as a whole after a change: a method without body conflicts with the stored body', async () => {
    const { id } = await scene.make({ method: 'POST', body: 'x' })
    const refused = await scene.call('PATCH', `/${id}`, { method: 'GET' })
    expect([refused.status, refused.body.error.details[0].path]).toEqual([400, 'body'])
    expect((await scene.call('PATCH', `/${id}`, { method: 'GET', body: null })).body).toMatchObject({ method: 'GET', body: null })
  })

  it('gets the same error for an unknown, malformed or foreign server [MON-32]', async () => {
    const answers = new Set<string>()
    for (const server_id of ['srv_01h455vb4pex5vsknk084sn02q', 'nonsense', foreignServer, '']) {
      const { status, body } = await scene.call('POST', '', { ...whole, server_id })
      answers.add(JSON.stringify([status, body.error.details]))
    }
    expect([...answers]).toEqual(['[400,[{"path":"server_id","message":"must be a server of this organization"}]]'])
  })

  it('an empty change is a 400', async () => {
    const { id } = await scene.make()
    expect((await scene.call('PATCH', `/${id}`, {})).status).toBe(400)
    expect((await scene.call('PATCH', `/${id}`)).status).toBe(400)
  })

  it('several faults are reported at once', async () => {
    const { body } = await scene.call('POST', '', { ...whole, url: 'nonsense', timeout: 30, interval: 20, regions: ['mars'] })
    expect(body.error.details.map(({ path }: { path: string }) => path).toSorted()).toEqual(['regions.0', 'timeout', 'url'])
  })
})
