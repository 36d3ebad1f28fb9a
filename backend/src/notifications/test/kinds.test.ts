import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { CHANNEL_TYPES, type ChannelType } from '@vedette/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Receiver, startReceiver } from '../../../test/receiver.ts'
import { secretsOf } from '../channels/config.ts'
import type { OutboundRequest } from '../messages/delivery.ts'
import { CHANNEL_KINDS } from '../kinds/index.ts'
import type { ChannelSettings, Message } from '../messages/message.ts'
import { withConfigOf } from '../deliveries/deliver.ts'
import { type Connect, createRequester } from '../deliveries/request.ts'
import { incidentText, testText } from '../messages/texts.ts'

const AT = Date.parse('2026-11-21T09:24:31.000Z')
const link = 'https://vedette.example.com/incidents/inc_01m7z4m0x9e8ztq5yfr3b6k2jh'
const incident = {
  id: 'inc_01m7z4m0x9e8ztq5yfr3b6k2jh',
  rule_id: 'alr_01m7ynqmvhfbxs9k5e3v0cr7tz',
  target: { type: 'monitor', id: 'mon_01m7z3vk2kewwbm06fcdra9ncd', name: 'Shop <b>&' },
  status: 'open',
  severity: 'critical',
  summary: 'Shop <b>& is down: refused',
  silenced: false,
  parent_id: null,
  flapping: false,
  opened_at: '2026-11-21T09:24:31.000Z',
  acknowledged_at: null,
  acknowledged_by: null,
  resolved_at: null,
} as const

function step(type: string, own: object = {}): Message {
  const one = { ...incident, ...own }
  return { id: 'msg_1', type, atMs: AT, data: { incident: one }, content: incidentText(type, one, 0), link }
}
const opened = step('incident.opened')
const test: Message = { ...opened, type: 'channel.test', data: {}, content: testText('ops') }
const lines = ['monitor: Shop <b>&', 'severity: critical', 'opened: 2026-11-21T09:24:31.000Z']

interface Case {
  type: ChannelType
  settings: ChannelSettings
  message: Message
  /** Where the document of the service says that it goes. */
  url: string
  headers?: Record<string, string>
  body: unknown
  /** What the service answers that takes it. */
  answer: [status: number, body: string]
}

/** Each as the document named in the file of the kind has it. */
const CASES: Record<string, Case> = {
  slack: {
    type: 'slack',
    settings: { url: 'https://hooks.slack.com/services/T0/B0/xyz' },
    message: opened,
    url: 'https://hooks.slack.com/services/T0/B0/xyz',
    body: {
      text: 'Shop &lt;b&gt;&amp; is down: refused',
      mrkdwn: false,
      blocks: [
        { type: 'section', text: { type: 'plain_text', text: 'Shop &lt;b&gt;&amp; is down: refused', emoji: false } },
        {
          type: 'section',
          text: { type: 'plain_text', text: `monitor: Shop &lt;b&gt;&amp;\n${lines[1]}\n${lines[2]}`, emoji: false },
        },
        { type: 'context', elements: [{ type: 'mrkdwn', text: `<${link}|Open in Vedette>` }] },
      ],
    },
    answer: [200, 'ok'],
  },
  discord: {
    type: 'discord',
    settings: { url: 'https://discord.com/api/webhooks/1/abc' },
    message: opened,
    url: 'https://discord.com/api/webhooks/1/abc',
    body: {
      username: 'Vedette',
      embeds: [
        {
          title: 'Shop \\<b\\>& is down: refused',
          description: lines.join('\n').replace('<b>', '\\<b\\>'),
          color: 0xb3261e,
          timestamp: '2026-11-21T09:24:31.000Z',
          url: link,
        },
      ],
      allowed_mentions: { parse: [] },
    },
    answer: [204, ''],
  },
  teams: {
    type: 'teams',
    settings: { url: 'https://prod-1.westeurope.logic.azure.com/workflows/1/triggers/manual/paths/invoke?sig=abc' },
    message: { ...opened, content: { ...opened.content, title: 'Shop [a](b) is down' } },
    url: 'https://prod-1.westeurope.logic.azure.com/workflows/1/triggers/manual/paths/invoke?sig=abc',
    body: {
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: [
              {
                type: 'TextBlock',
                text: 'Shop \\[a\\](b) is down',
                weight: 'Bolder',
                size: 'Medium',
                color: 'Attention',
                wrap: true,
              },
              { type: 'TextBlock', text: lines.join('\n\n'), wrap: true },
            ],
            actions: [{ type: 'Action.OpenUrl', title: 'Open in Vedette', url: link }],
          },
        },
      ],
    },
    answer: [202, ''],
  },
  telegram: {
    type: 'telegram',
    settings: { bot_token: '123:abc', chat_id: '-42' },
    message: opened,
    url: 'https://api.telegram.org/bot123:abc/sendMessage',
    body: {
      chat_id: '-42',
      text: `<b>Shop &lt;b&gt;&amp; is down: refused</b>\nmonitor: Shop &lt;b&gt;&amp;\n${lines[1]}\n${lines[2]}\n<a href="${link}">Open in Vedette</a>`,
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
    },
    answer: [200, '{"ok":true,"result":{}}'],
  },
  'pagerduty, opened': {
    type: 'pagerduty',
    settings: { routing_key: 'key-abc' },
    message: opened,
    url: 'https://events.pagerduty.com/v2/enqueue',
    body: {
      routing_key: 'key-abc',
      event_action: 'trigger',
      dedup_key: incident.id,
      payload: {
        summary: 'Shop <b>& is down: refused',
        source: 'Shop <b>&',
        severity: 'critical',
        timestamp: '2026-11-21T09:24:31.000Z',
        class: 'monitor',
        custom_details: { incident: incident.id, target: incident.target.id },
      },
      client: 'Vedette',
      client_url: link,
      links: [{ href: link, text: 'Vedette' }],
    },
    answer: [202, '{"status":"success","message":"Event processed"}'],
  },
  'pagerduty, acknowledged': {
    type: 'pagerduty',
    settings: { routing_key: 'key-abc' },
    message: step('incident.acknowledged'),
    url: 'https://events.pagerduty.com/v2/enqueue',
    body: { routing_key: 'key-abc', event_action: 'acknowledge', dedup_key: incident.id },
    answer: [202, '{"status":"success"}'],
  },
  'pagerduty, resolved': {
    type: 'pagerduty',
    settings: { routing_key: 'key-abc' },
    message: step('incident.resolved', { status: 'resolved' }),
    url: 'https://events.pagerduty.com/v2/enqueue',
    body: { routing_key: 'key-abc', event_action: 'resolve', dedup_key: incident.id },
    answer: [202, '{"status":"success"}'],
  },
  'pagerduty, in the EU': {
    type: 'pagerduty',
    settings: { routing_key: 'key-abc', region: 'eu' },
    message: step('incident.acknowledged'),
    url: 'https://events.eu.pagerduty.com/v2/enqueue',
    body: { routing_key: 'key-abc', event_action: 'acknowledge', dedup_key: incident.id },
    answer: [202, '{"status":"success"}'],
  },
  ntfy: {
    type: 'ntfy',
    settings: { url: 'https://ntfy.sh', topic: 'ops', token: 'tk_12345' },
    message: opened,
    url: 'https://ntfy.sh/',
    headers: { authorization: 'Bearer tk_12345' },
    body: {
      topic: 'ops',
      title: 'Shop <b>& is down: refused',
      message: lines.join('\n'),
      priority: 5,
      tags: ['rotating_light'],
      click: link,
    },
    answer: [200, '{"id":"a","event":"message"}'],
  },
  gotify: {
    type: 'gotify',
    settings: { url: 'https://push.example.com/gotify/', token: 'app-A1' },
    message: step('incident.resolved', { status: 'resolved', resolved_at: '2026-11-21T09:30:00.000Z' }),
    url: 'https://push.example.com/gotify/message',
    headers: { 'x-gotify-key': 'app-A1' },
    body: {
      title: 'Resolved: Shop <b>& is down: refused',
      message: [...lines, 'resolved: 2026-11-21T09:30:00.000Z'].join('\n'),
      priority: 3,
      extras: { 'client::notification': { click: { url: link } } },
    },
    answer: [200, '{"id":1}'],
  },
  pushover: {
    type: 'pushover',
    settings: { user_key: 'user-1', app_token: 'app-1' },
    message: opened,
    url: 'https://api.pushover.net/1/messages.json',
    body: {
      token: 'app-1',
      user: 'user-1',
      title: 'Shop <b>& is down: refused',
      message: lines.join('\n'),
      priority: 1,
      timestamp: AT / 1000,
      url: link,
      url_title: 'Open in Vedette',
    },
    answer: [200, '{"status":1,"request":"e1"}'],
  },
}

const never = new AbortController().signal
const noMail = () => {
  throw new Error('no mail is meant to be sent')
}
const direct: Connect = ({ host, port }) =>
  new Promise((resolve, reject) => {
    const socket = connect(port, host, () => resolve(socket)).once('error', reject)
  })
const send = createRequester(direct, never)
const deliverBy = (by: (request: OutboundRequest) => ReturnType<typeof send>, { type, settings }: Case, message: Message) =>
  CHANNEL_KINDS[type].deliver(settings, message, { send: withConfigOf(type, settings, by), mail: noMail, nowMs: () => AT })

describe.each(Object.entries(CASES))('%s', (_, one) => {
  const { url, body, headers = {}, message, answer } = one
  const { origin, pathname, search } = new URL(url)
  const origins: string[] = []
  let receiver: Receiver
  beforeAll(async () => {
    receiver = await startReceiver()
  })
  afterAll(() => receiver.close())
  beforeEach(() => {
    origins.length = 0
    receiver.received.length = 0
  })
  /** The service is the receiver, whatever its origin is. */
  const sendLocally = (request: OutboundRequest) => {
    const requested = new URL(request.url).origin
    origins.push(requested)
    return send({ ...request, url: request.url.replace(requested, receiver.url) })
  }

  it('receives the request that its documentation describes, and its acceptance is believed', async () => {
    receiver.answer((response) => void response.writeHead(answer[0]).end(answer[1]))
    expect(await deliverBy(sendLocally, one, message)).toMatchObject({ status: answer[0], text: answer[1] })
    const [got] = receiver.received
    expect(got).toMatchObject({
      method: 'POST',
      path: `${pathname}${search}`,
      headers: { 'content-type': 'application/json', ...headers },
    })
    expect(JSON.parse(got?.body ?? '')).toEqual(body)
    expect([...new Set(origins)]).toEqual([origin])
  })

  it.each([400, 404, 429, 500, 503])('has not accepted a message that it answers with %i', async (status) => {
    receiver.answer((response) => void response.writeHead(status).end('try\nlater'))
    const reason = { code: 'refused', message: `the service answered ${status}: try later` }
    await expect(deliverBy(sendLocally, one, message)).rejects.toMatchObject(reason)
  })

  it('repeats no secret to another origin that it redirects to [CHANNEL-15]', async () => {
    const other = await startReceiver()
    receiver.answer((response) => void response.writeHead(307, { location: other.url }).end())
    await deliverBy(sendLocally, one, message).catch(() => undefined)
    const secrets = secretsOf(one.type, one.settings)
    const sent = other.received.map(({ body: text, headers: all }) => `${text} ${JSON.stringify(all)}`).join('\n')
    await other.close()
    for (const secret of secrets) expect(sent).not.toContain(secret)
  })

  it('receives the longest texts within its documented limits', async () => {
    const long = step('incident.opened', {
      summary: `a${'😀&'.repeat(2_000)}`,
      target: { ...incident.target, name: '&<😀'.repeat(2_000) },
    })
    receiver.answer((response) => void response.writeHead(answer[0]).end(answer[1]))
    await deliverBy(sendLocally, one, long)
    const sent = receiver.received[0]?.body ?? ''
    expect(sent.isWellFormed()).toBe(true)
    for (const fault of boundFaults(one.type, JSON.parse(sent), sent)) expect(fault).toBe('')
  })
})

/** Bounds of the services, each as its document has it. */
// oxlint-disable-next-line typescript/no-explicit-any -- bodies of nine services
function boundFaults(type: ChannelType, body: any, sent: string): string[] {
  const bounds: Partial<Record<ChannelType, [what: string, length: number, most: number][]>> = {
    slack: [['section', body.blocks?.[0].text.text.length, 3_000]],
    discord: [
      ['title', body.embeds?.[0].title.length, 256],
      ['description', body.embeds?.[0].description.length, 4_096],
    ],
    teams: [['message', Buffer.byteLength(sent), 28_000]],
    telegram: [['text', body.text?.replaceAll(/<[^>]*>/g, '').replaceAll(/&[a-z0-9#]+;/g, '&').length, 4_096]],
    pagerduty: [['summary', body.payload?.summary.length, 1_024]],
    ntfy: [['message', Buffer.byteLength(body.message ?? ''), 4_096]],
    gotify: [['message', body.message?.length, 4_000]],
    pushover: [
      ['title', body.title?.length, 250],
      ['message', body.message?.length, 1_024],
    ],
  }
  const own = bounds[type] ?? []
  return own.filter(([, length, most]) => length > most).map(([what, length, most]) => `${what}: ${length} > ${most}`)
}

it('an email has the same content as text and HTML, and names are escaped', async () => {
  const mails: unknown[] = []
  const mail = (one: unknown) => void mails.push(one)
  expect(await CHANNEL_KINDS.email.deliver({ to: 'ada@example.com' }, opened, { send, mail, nowMs: () => AT })).toBeUndefined()
  expect(mails).toEqual([
    {
      to: 'ada@example.com',
      subject: 'Shop <b>& is down: refused',
      text: `Shop <b>& is down: refused\n${lines.join('\n')}\n\n${link}\n`,
      html: `<p style="color:#b3261e"><strong>Shop &lt;b&gt;&amp; is down: refused</strong></p><p>monitor: Shop &lt;b&gt;&amp;<br>${lines[1]}<br>${lines[2]}</p><p><a href="${link}">${link}</a></p>`,
    },
  ])
})

it('a test of PagerDuty leaves nothing open', async () => {
  const requests: { event_action: string; dedup_key: string }[] = []
  const take = async ({ body }: OutboundRequest) => {
    requests.push(JSON.parse(String(body)))
    return { status: 202, headers: {}, text: '' }
  }
  await deliverBy(take, CASES['pagerduty, opened'] as Case, test)
  expect(requests.map(({ event_action }) => event_action)).toEqual(['trigger', 'resolve'])
  expect(new Set(requests.map(({ dedup_key }) => dedup_key)).size).toBe(1)
})

it('every channel type of the contract has its file and its line', () => {
  const files = readdirSync(join(import.meta.dirname, '../kinds')).map((name) => name.replace(/\.ts$/, ''))
  const shared = new Set(['index', 'post'])
  expect(Object.keys(CHANNEL_KINDS).toSorted()).toEqual(Object.keys(CHANNEL_TYPES).toSorted())
  expect(files.filter((name) => !shared.has(name)).toSorted()).toEqual(Object.keys(CHANNEL_KINDS).toSorted())
})
