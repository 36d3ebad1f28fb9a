import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAlertFixture, LOCAL_TARGETS } from '../../../../test/alert-fixture.ts'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { type Receiver, startReceiver } from '../../../../test/receiver.ts'

let backend: TestBackend
let receiver: Receiver
let admin: Credentials
let alerts: Awaited<ReturnType<typeof createAlertFixture>>
beforeAll(async () => {
  backend = await startTestBackend({ environment: LOCAL_TARGETS })
  receiver = await startReceiver()
  const organization = await backend.organization()
  admin = await backend.apiKey(organization, 'admin')
  alerts = await createAlertFixture(backend, organization, admin)
})
afterAll(async () => {
  await backend.close()
  await receiver.close()
})

/** One filter that compares each of many values with as many others. */
const SLOW = `{% assign a = (1..300000) %}{{ a | has_exp: "x", "a contains 'q'" }}`
const call = (path: string, body: object, as = admin) => backend.call('POST', `/v1/channels${path}`, { as, body })
const preview = (body: object, as = admin) => call('/preview', body, as)
const faultsOf = ({ status, body }: { status: number; body: { error?: { details?: { path: string; message: string }[] } } }) => [
  status,
  ...(body.error?.details ?? []).map(({ path, message }) => `${path} ${message}`),
]

describe('the config of a channel', () => {
  const slack = (config: object) =>
    call('', { name: 'chat', type: 'slack', config: { url: 'https://hooks.example.com/x', ...config } })

  it('keeps its templates with their line breaks, and does not hide them', async () => {
    const templates = { title_template: '{{ title }}', text_template: '{{ text }}\n\n{{ link }}' }
    const { status, body } = await slack(templates)
    expect([status, body.config]).toEqual([201, { url: '•••', ...templates }])
  })

  it('refuses a template that cannot be rendered, and says where', async () =>
    expect(faultsOf(await slack({ title_template: '{{ title', text_template: '{% include "x" %}' }))).toEqual([
      400,
      expect.stringMatching(
        /^config\.title_template is not a template that can be rendered: output "\{\{ title" not closed, line:1/,
      ),
      expect.stringMatching(/^config\.text_template is not a template that can be rendered: /),
    ]))

  it.each([
    ['takes more than 50 ms', SLOW],
    ['makes more than 100,000 characters', `{% for i in (1..99) %}${'a'.repeat(2_000)}{% endfor %}`],
  ])('refuses a template that %s, also as a contact method of a viewer', async (bound, template) => {
    const config = { url: receiver.url, topic: 'a', title_template: '{{ title }}', text_template: template }
    const refusal = [400, `config.text_template is not a template that can be rendered: it ${bound}`]
    expect(faultsOf(await call('', { name: 'chat', type: 'ntfy', config }))).toEqual(refusal)
    const as = await backend.member(await backend.organization(), 'viewer')
    const contact = await backend.call('POST', '/v1/contact-methods', { as, body: { type: 'ntfy', config } })
    expect(faultsOf(contact)).toEqual(refusal)
    const { id } = (await slack({})).body
    const change = { config: { text_template: template } }
    expect(faultsOf(await backend.call('PATCH', `/v1/channels/${id}`, { as: admin, body: change }))).toEqual(refusal)
  })

  it('refuses a body that is no JSON for a name with quotation marks', async () => {
    const http = (config: object) =>
      call('', { name: 'own', type: 'http', config: { url: 'https://api.example.com/', ...config } })
    expect(faultsOf(await http({ body_template: '{"a": "{{ title }}"}' }))).toEqual([
      400,
      'config.body_template makes no JSON of a name with quotation marks: write {{ title | json }} in place of "{{ title }}"',
    ])
    expect((await http({ body_template: '{"a": {{ title | json }}}' })).status).toBe(201)
    expect((await http({ body_template: 'a="{{ title }}"', content_type: 'text/plain' })).status).toBe(201)
    expect(faultsOf(await http({ body_template: 'a', content_type: 'text\u007fplain', method: 'GET' }))).toEqual([
      400,
      'config.content_type must not contain control characters',
      'config.method must be POST or PUT',
    ])
  })

  it.each([
    [
      'sns',
      { topic_arn: 'arn:aws:sns:evil.example.com/:123456789012:a', access_key_id: 'a', secret_access_key: 'b' },
      'topic_arn',
    ],
    ['twilio_sms', { account_sid: 'AC1/../x', auth_token: 'a', sender: '1', recipient: '2' }, 'account_sid'],
    ['opsgenie', { api_key: 'a', region: 'xx' }, 'region'],
    ['home_assistant', { url: 'http://a.example.com', token: 'a', service: '../states/x' }, 'service'],
    ['matrix', { url: 'http://a.example.com', token: 'a', room_id: 'lobby' }, 'room_id'],
  ])('of %s refuses what would lead elsewhere', async (type, config, field) => {
    const answer = faultsOf(await call('', { name: 'a', type, config }))
    expect(answer).toEqual([400, expect.stringMatching(new RegExp(`^config\\.${field} must be`))])
  })
})

describe('POST /v1/channels/preview', () => {
  it('renders an example while there is no incident, then the newest one, or the one that is named', async () => {
    const own = await backend.organization('Preview')
    const as = await backend.apiKey(own, 'admin')
    const body = { type: 'slack', title_template: '{{ incident.target.name }} is {{ incident.status }}' }
    expect((await preview(body, as)).body).toMatchObject({
      incident_id: null,
      title: 'Shop "EU" is open',
      body: null,
      error: null,
    })
    const fixture = await createAlertFixture(backend, own, as)
    const id = await fixture.open()
    expect((await preview(body, as)).body).toMatchObject({ incident_id: expect.stringMatching(/^inc_/), title: 'Shop is open' })
    const { incidents } = (await backend.call('GET', '/v1/incidents', { as })).body
    await fixture.resolve(id)
    const named = await preview({ ...body, incident_id: incidents[0].id }, as)
    expect([named.status, named.body.title]).toEqual([200, 'Shop is resolved'])
    expect(faultsOf(await preview({ ...body, incident_id: incidents[0].id }))).toEqual([
      400,
      'incident_id is not an incident of this organization',
    ])
  })

  it('is in the language of the organization, as the notification will be', async () => {
    const own = await backend.organization('Vorschau')
    const as = await backend.member(own, 'owner')
    await backend.call('PATCH', `/v1/organizations/${own.id}`, { as, body: { language: 'de' } })
    const { body } = await preview({ type: 'slack', text_template: '{{ title }}' }, as)
    expect([body.title, body.text]).toEqual([
      'Shop "EU": ausgefallen: Status 503 (erwartet 200–399)',
      'Shop "EU": ausgefallen: Status 503 (erwartet 200–399)',
    ])
  })

  it('shows the standard texts, and why a template is not used', async () => {
    const { status, body } = await preview({ type: 'http', body_template: '{{ title | shell }}', title_template: '{{' })
    expect([status, body.body, body.title]).toEqual([200, '', 'Shop "EU" is down: status 503 (expected 200–399)'])
    expect(body.error).toMatch(/not closed/)
  })

  it('is refused to callers who may not change channels, and with a template that is too long', async () => {
    const { status, body } = await preview({ type: 'slack', title_template: 'x'.repeat(8_193) })
    expect([status, body.error.details[0].path]).toEqual([400, 'title_template'])
    const reader = await backend.apiKey(await backend.organization('Readers'), 'read')
    expect((await preview({ type: 'slack' }, reader)).status).toBe(403)
  })
})

it('a notification has the texts of its channel', async () => {
  await alerts.channel('gotify', { url: receiver.url, token: 'A1', title_template: '{{ tone }}: {{ incident.target.name }}' })
  await alerts.open()
  await alerts.deliver()
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ title: 'critical: Shop' })
})

it('a template that takes too long for a notification alone makes the standard text, and the other channels get theirs', async () => {
  const own = await backend.organization('Slow')
  const as = await backend.apiKey(own, 'admin')
  const fixture = await createAlertFixture(backend, own, as)
  // The example of the trial has another name.
  const template = `{% if incident.target.name == "Shop" %}${SLOW}{% endif %}{{ title }}`
  const before = receiver.received.length
  await fixture.channel('gotify', { url: receiver.url, token: 'A1', title_template: template })
  await fixture.channel('ntfy', { url: receiver.url, topic: 'a', title_template: '{{ tone }}' })
  await fixture.open()
  await fixture.deliver()
  const titles = receiver.received.slice(before).map(({ body }) => (JSON.parse(body) as { title: string }).title)
  expect(titles.toSorted()).toEqual(['Shop is down: no answer', 'critical'])
})
