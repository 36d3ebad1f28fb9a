import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHANNEL_TEXTS, CHANNEL_TYPES, type ChannelType } from '@vedette/shared'
import { type Receiver, startReceiver } from '../../../backend/test/receiver.ts'
import { NEW_CHANNEL, toChannelInput, toCreateBody } from '../../src/features/channels/input.ts'
import { LOCAL_TARGETS } from '../../../backend/test/alert-fixture.ts'
import { faultsOf, openScene, type Page, type Scene } from '../dom/scene.ts'
import { asOwner, watchRequests } from './editor.ts'

/** Values that the API accepts, by type and field. */
const CONFIGS: Readonly<Record<ChannelType, Readonly<Record<string, string>>>> = {
  webhook: { url: 'https://hooks.example.com/1' },
  email: { to: 'night@example.com' },
  slack: { url: 'https://hooks.slack.com/services/T/B/x' },
  discord: { url: 'https://discord.com/api/webhooks/1/x' },
  teams: { url: 'https://example.webhook.office.com/x' },
  telegram: { bot_token: '123456:ABC-DEF', chat_id: '-100123' },
  pagerduty: { routing_key: 'R0123456789ABCDEF0123456789ABCDEF', region: 'eu' },
  ntfy: { url: 'https://ntfy.sh', topic: 'night', token: 'tk_abc' },
  gotify: { url: 'https://gotify.example.com', token: 'Aabc' },
  pushover: { user_key: 'uabc', app_token: 'aabc' },
  mattermost: { url: 'https://chat.example.com/hooks/x' },
  rocket_chat: { url: 'https://chat.example.com/hooks/1/x' },
  google_chat: { url: 'https://chat.googleapis.com/v1/spaces/A/messages?key=k&token=t' },
  matrix: { url: 'https://matrix.example.com', room_id: '!abc:example.com', token: 'syt_abc' },
  signal: { url: 'http://signal.example.com:8080', sender: '+4915112345678', recipient: '+4915187654321' },
  home_assistant: { url: 'http://home.example.com:8123', service: 'mobile_app_phone', token: 'eyabc' },
  apprise: { url: 'https://apprise.example.com/notify/key', tag: 'ops' },
  twilio_sms: { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'abc', sender: '+1555', recipient: '+49151', region: 'eu' },
  twilio_voice: { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'abc', sender: '+1555', recipient: '+49151' },
  sns: { topic_arn: 'arn:aws:sns:eu-central-1:123456789012:a', access_key_id: 'AKIDEXAMPLE', secret_access_key: 'abc' },
  opsgenie: { api_key: 'og-abc', region: 'eu' },
  splunk_oncall: { url: 'https://alert.victorops.com/integrations/generic/20131114/alert/x/ops' },
  grafana_oncall: { url: 'https://oncall.example.com/integrations/v1/formatted_webhook/x/' },
  http: { url: 'https://api.example.com/alerts', method: 'PUT', body_template: '{"text": {{ title | json }}}' },
}
const TYPES = Object.keys(CHANNEL_TYPES) as ChannelType[]
const labelOf = (field: string): string => CHANNEL_TEXTS[field as keyof typeof CHANNEL_TEXTS].label
const isSecret = (type: ChannelType, field: string): boolean =>
  (CHANNEL_TYPES[type].fields as Readonly<Record<string, { isSecret: boolean }>>)[field]?.isSecret === true

describe('the editor of channels', () => {
  let scene: Scene
  let api: ReturnType<typeof asOwner>
  let receiver: Receiver
  beforeAll(async () => {
    receiver = await startReceiver()
    scene = await openScene({ environment: LOCAL_TARGETS })
    api = asOwner(scene)
  })
  afterAll(async () => {
    await scene?.close()
    await receiver?.close()
  })

  const openNew = async (page: Page, type: ChannelType = 'webhook') => {
    await page.goto(`${scene.origin}/alerts/channels/add`)
    await page.getByLabel('Type', { exact: true }).selectOption(type)
  }
  const named = async (name: string) =>
    (await api.read('/v1/channels?limit=100')).channels.find((channel: { name: string }) => channel.name === name)
  const list = (page: Page) => page.getByRole('heading', { name: 'Notification channels' }).waitFor()

  it('stores what the form of each type sends, and shows its secrets no more', async () => {
    for (const type of TYPES) {
      const body = toCreateBody({ ...NEW_CHANNEL, name: `Of ${type}`, type, config: CONFIGS[type] })
      const { id } = await api.make('/v1/channels', body)
      const shown = Object.entries(CONFIGS[type]).map(([field, value]) => [field, isSecret(type, field) ? '•••' : value])
      const stored = await api.read(`/v1/channels/${id}`)
      expect(stored).toMatchObject({ type, enabled: true })
      expect(toChannelInput(stored).config).toMatchObject(Object.fromEntries(shown))
    }
  })

  it.each(['webhook', 'ntfy', 'http'] as const)(
    'creates a channel of the type %s, and shows its secrets no more',
    async (type) => {
      const page = scene.open()
      const name = `To ${type}`
      await openNew(page, type)
      await page.getByLabel('Name').first().fill(name)
      for (const [field, value] of Object.entries(CONFIGS[type]))
        await page.getByLabel(labelOf(field), { exact: true }).fill(value)
      await page.getByRole('button', { name: 'Create channel' }).click()
      if (type === 'webhook') {
        await page.getByText(/^whsec_\S+$/).waitFor()
        await page.getByRole('button', { name: 'Done' }).click()
      }
      await list(page)
      const shown = Object.entries(CONFIGS[type]).map(([field, value]) => [field, isSecret(type, field) ? '•••' : value])
      expect(await named(name)).toMatchObject({ type, enabled: true, config: Object.fromEntries(shown) })
      await page.getByRole('link', { name }).first().click()
      await page.getByLabel('Type', { exact: true }).waitFor()
      expect(await page.getByLabel('Type', { exact: true }).isDisabled()).toBe(true)
      for (const [field, value] of shown as [string, string][])
        expect(await page.getByLabel(labelOf(field), { exact: true }).inputValue()).toBe(value)
    },
  )

  it('has the fields of each type, names those that it needs, and sends nothing', async () => {
    const page = scene.open()
    await openNew(page)
    const sent = watchRequests(page, 'POST')
    await page.getByRole('button', { name: 'Create channel' }).click()
    await page.getByText(/needs? a change\./).waitFor()
    for (const type of TYPES) {
      await page.getByLabel('Type', { exact: true }).selectOption(type)
      for (const field of Object.keys(CONFIGS[type]))
        expect([type, field, await page.getByLabel(labelOf(field), { exact: true }).count()]).toEqual([type, field, 1])
      const fields = Object.entries(CHANNEL_TYPES[type].fields as Readonly<Record<string, { isRequired: boolean }>>)
      const needed = fields.filter(([, { isRequired }]) => isRequired).map(([field]) => labelOf(field))
      expect([type, Object.keys(await faultsOf(page)).toSorted()]).toEqual([type, ['Name', ...needed].toSorted()])
    }
    expect(sent).toEqual([])
  })

  it('keeps a secret that is not typed again, and replaces one that is', async () => {
    const page = scene.open()
    const { id } = await api.make('/v1/channels', {
      name: 'Gotify',
      type: 'gotify',
      config: { url: 'https://a.example.com', token: 'A1' },
    })
    await page.goto(`${scene.origin}/alerts/channels/${id}`)
    await page.getByLabel('Name').first().fill('Gotify at home')
    const sent = watchRequests(page, 'PATCH')
    await page.getByRole('button', { name: 'Save' }).click()
    await list(page)
    await page.goto(`${scene.origin}/alerts/channels/${id}`)
    await page.getByLabel('Token', { exact: true }).focus()
    await page.keyboard.type('A2')
    await page.getByRole('button', { name: 'Save' }).click()
    await list(page)
    expect(sent.map(({ body }) => body)).toEqual([
      { name: 'Gotify at home' },
      { config: expect.objectContaining({ token: 'A2' }) },
    ])
  })

  it('sends a test of what was typed, and says what the service answered', async () => {
    const page = scene.open()
    await openNew(page)
    await page.getByLabel('Name').first().fill('Tested')
    await page.getByLabel('URL').fill(`${receiver.url}/hook`)
    receiver.answer((response) => void response.writeHead(200).end('taken'))
    await page.getByRole('button', { name: /^Send test/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Test of Tested' })
    await dialog.getByText('Test notification delivered.').waitFor()
    expect(await dialog.textContent()).toContain('taken')
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    receiver.answer((response) => void response.writeHead(403).end('who are you?'))
    await page.getByRole('button', { name: /^Send test/ }).click()
    await dialog.getByText(/Delivery failed\..*the service answered 403/).waitFor()
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook', '/hook'])
    expect(await named('Tested')).toBeUndefined()
  })

  it('previews own texts with the newest incident, and refuses a template that cannot be rendered', async () => {
    const page = scene.open()
    await openNew(page, 'slack')
    await page.getByLabel('Name').first().fill('With templates')
    await page.getByLabel('URL').fill('https://hooks.slack.com/services/T/B/x')
    await page.getByText('Own texts').click()
    await page.getByLabel('Title (Liquid)').fill('{{ tone | upcase }} for {{ incident.target.name }}')
    await page.getByRole('button', { name: 'Preview' }).click()
    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.getByText('With an example, because there is no incident yet:').waitFor()
    expect(await preview.textContent()).toContain('CRITICAL for Shop "EU"')
    await page.getByLabel('Text (Liquid)').fill('{{ title | shell }}')
    await page.getByRole('button', { name: 'Create channel' }).click()
    await page
      .getByText(/is not a template that can be rendered: undefined filter: shell/)
      .first()
      .waitFor()
    await page.getByLabel('Text (Liquid)').fill('{{ link }}')
    await page.getByRole('button', { name: 'Create channel' }).click()
    await list(page)
    expect((await named('With templates')).config).toMatchObject({ text_template: '{{ link }}' })
  })

  it('turns a channel off by its box, limits a webhook to events, and deletes it', async () => {
    const page = scene.open()
    const { id } = await api.make('/v1/channels', {
      name: 'Limited',
      type: 'webhook',
      config: { url: 'https://hooks.example.com/' },
    })
    await page.goto(`${scene.origin}/alerts/channels/${id}`)
    await page.getByLabel('Enabled').uncheck()
    await page.getByText('Events', { exact: true }).click()
    await page.getByRole('checkbox', { name: 'Incident opened' }).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await list(page)
    expect(await named('Limited')).toMatchObject({ enabled: false, config: { events: ['incident.opened'] } })
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Limited' })
      .getByRole('button', { name: /Delete/ })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Limited deleted').waitFor()
    expect(await named('Limited')).toBeUndefined()
  })

  it('rotates the signing secret of a webhook, which is shown once', async () => {
    const page = scene.open()
    const { id, config } = await api.make('/v1/channels', {
      name: 'Signed',
      type: 'webhook',
      config: { url: 'https://hooks.example.com/' },
    })
    await page.goto(`${scene.origin}/alerts/channels/${id}`)
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
    const secret = page.getByText(/^whsec_\S+$/)
    await secret.waitFor()
    expect(await secret.textContent()).not.toBe(config.secret)
    await page.keyboard.press('Escape')
    expect(await secret.isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Done' }).click()
    await secret.waitFor({ state: 'detached' })
  })

  it('is closed to members, who see neither the address of a webhook nor a button', async () => {
    const page = await scene.openAs('member')
    await page.goto(`${scene.origin}/alerts/channels/add`)
    await page.getByText('Only admins and owners can change channels.').waitFor()
    await page.goto(`${scene.origin}/alerts/channels`)
    await list(page)
    expect(await page.getByRole('link', { name: 'Add channel' }).count()).toBe(0)
    expect(await page.getByText('hooks.example.com').count()).toBe(0)
  })

  it('reports no fault of a script', () => expect(scene.complaints).toEqual([]))
})
