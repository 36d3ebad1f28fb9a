import { createHash, createHmac } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { CHANNEL_TYPES, type ChannelType } from '@vedette/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Receiver, startReceiver } from '../../../../test/receiver.ts'
import { secretsOf } from '../channels/config.ts'
import type { OutboundRequest } from '../messages/delivery.ts'
import { CHANNEL_KINDS } from '../kinds/index.ts'
import type { ChannelSettings, Message } from '../messages/message.ts'
import { withConfigOf } from '../deliveries/deliver.ts'
import { type Connect, createRequester } from '../deliveries/request.ts'
import { incidentText, runbookOf, testText, withRunbookLine } from '../messages/texts.ts'

const AT = Date.parse('2026-11-21T09:24:31.000Z')
const link = 'https://vedette.example.com/incidents/inc_01m7z4m0x9e8ztq5yfr3b6k2jh'
const incident = {
  id: 'inc_01m7z4m0x9e8ztq5yfr3b6k2jh',
  rule_id: 'alr_01m7ynqmvhfbxs9k5e3v0cr7tz',
  origin: { type: 'rule', id: 'alr_01m7ynqmvhfbxs9k5e3v0cr7tz' },
  labels: {},
  target: { type: 'monitor', id: 'mon_01m7z3vk2kewwbm06fcdra9ncd', name: 'Shop <b>&' },
  status: 'open',
  severity: 'critical',
  summary: 'Shop <b>& is down: refused',
  silenced: false,
  parent_id: null,
  story_id: null,
  cause: null,
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

const TWILIO_ACCOUNT = `AC${'0'.repeat(32)}`
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

interface Case {
  type: ChannelType
  settings: ChannelSettings
  message: Message
  /** Where the document of the service says that it goes. */
  url: string
  method?: 'PUT'
  headers?: Record<string, unknown>
  /** Of a form: its fields. */
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
  'telegram with buttons': {
    type: 'telegram',
    settings: { bot_token: '123:abc', chat_id: '-42', webhook_secret: 'of-the-webhook' },
    message: { ...opened, actionIncident: incident.id },
    url: 'https://api.telegram.org/bot123:abc/sendMessage',
    body: {
      chat_id: '-42',
      text: `<b>Shop &lt;b&gt;&amp; is down: refused</b>\nmonitor: Shop &lt;b&gt;&amp;\n${lines[1]}\n${lines[2]}\n<a href="${link}">Open in Vedette</a>`,
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
      reply_markup: {
        inline_keyboard: [
          [
            { text: 'Acknowledge', callback_data: `acknowledge ${incident.id}` },
            { text: 'Snooze 1 h', callback_data: `snooze ${incident.id}` },
            { text: 'Resolve', callback_data: `resolve ${incident.id}` },
          ],
        ],
      },
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
      priority: 2,
      retry: 60,
      expire: 3_600,
      tags: incident.id,
      timestamp: AT / 1000,
      url: link,
      url_title: 'Open in Vedette',
    },
    answer: [200, '{"status":1,"request":"e1"}'],
  },
  mattermost: {
    type: 'mattermost',
    settings: { url: 'https://chat.example.com/hooks/abc123' },
    message: { ...opened, content: { ...opened.content, title: '@all: Shop [a](b) is *down*' } },
    url: 'https://chat.example.com/hooks/abc123',
    body: {
      username: 'Vedette',
      attachments: [
        {
          color: '#b3261e',
          title: '@\u200ball: Shop \\[a\\]\\(b\\) is \\*down\\*',
          text: 'monitor: Shop \\<b\\>&\nseverity: critical\nopened: 2026\\-11\\-21T09:24:31.000Z',
          fallback: '@\u200ball: Shop [a](b) is *down*',
          title_link: link,
        },
      ],
    },
    answer: [200, 'ok'],
  },
  'rocket_chat, resolved': {
    type: 'rocket_chat',
    settings: { url: 'https://chat.example.com/hooks/66d/abc123' },
    message: step('incident.resolved', { status: 'resolved' }),
    url: 'https://chat.example.com/hooks/66d/abc123',
    body: {
      alias: 'Vedette',
      attachments: [
        {
          color: '#1b6e3c',
          title: 'Resolved: Shop \\<b\\>& is down: refused',
          text: 'monitor: Shop \\<b\\>&\nseverity: critical\nopened: 2026\\-11\\-21T09:24:31.000Z',
          fallback: 'Resolved: Shop <b>& is down: refused',
          title_link: link,
        },
      ],
    },
    answer: [200, '{"success":true}'],
  },
  google_chat: {
    type: 'google_chat',
    settings: { url: 'https://chat.googleapis.com/v1/spaces/AAA/messages?key=k1&token=t1' },
    message: opened,
    url: 'https://chat.googleapis.com/v1/spaces/AAA/messages?key=k1&token=t1&messageReplyOption=REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD',
    body: {
      thread: { threadKey: incident.id },
      cardsV2: [
        {
          cardId: 'msg_1',
          card: {
            header: { title: 'Shop <b>& is down: refused' },
            sections: [
              {
                widgets: [
                  { textParagraph: { text: `monitor: Shop &lt;b&gt;&amp;<br>${lines[1]}<br>${lines[2]}` } },
                  { buttonList: { buttons: [{ text: 'Open in Vedette', onClick: { openLink: { url: link } } }] } },
                ],
              },
            ],
          },
        },
      ],
    },
    answer: [200, '{"name":"spaces/AAA/messages/1"}'],
  },
  matrix: {
    type: 'matrix',
    settings: { url: 'https://matrix.example.com/', room_id: '!abc:example.com', token: 'syt_token_1' },
    message: opened,
    url: 'https://matrix.example.com/_matrix/client/v3/rooms/!abc%3Aexample.com/send/m.room.message/msg_1',
    method: 'PUT',
    headers: { authorization: 'Bearer syt_token_1' },
    body: {
      msgtype: 'm.text',
      body: `Shop <b>& is down: refused\n${lines.join('\n')}\n${link}`,
      format: 'org.matrix.custom.html',
      formatted_body: `<strong>Shop &lt;b&gt;&amp; is down: refused</strong><br>monitor: Shop &lt;b&gt;&amp;<br>${lines[1]}<br>${lines[2]}<br><a href="${link}">Open in Vedette</a>`,
      'm.mentions': {},
    },
    answer: [200, '{"event_id":"$1"}'],
  },
  signal: {
    type: 'signal',
    settings: { url: 'http://signal.example.com:8080', sender: '+4915112345678', recipient: 'group.abc=' },
    message: opened,
    url: 'http://signal.example.com:8080/v2/send',
    body: {
      message: `Shop <b>& is down: refused\n${lines.join('\n')}\n${link}`,
      number: '+4915112345678',
      recipients: ['group.abc='],
    },
    answer: [201, '{"timestamp":"1"}'],
  },
  'twilio_sms, in the EU': {
    type: 'twilio_sms',
    settings: { account_sid: TWILIO_ACCOUNT, auth_token: 'tok-1', sender: '+1555', recipient: '+49151', region: 'eu' },
    message: opened,
    url: `https://api.dublin.ie1.twilio.com/2010-04-01/Accounts/${TWILIO_ACCOUNT}/Messages.json`,
    headers: { ...FORM, authorization: `Basic ${btoa(`${TWILIO_ACCOUNT}:tok-1`)}` },
    body: { To: '+49151', From: '+1555', Body: `Shop <b>& is down: refused\n${lines.join('\n')}\n${link}` },
    answer: [201, '{"sid":"SM1"}'],
  },
  twilio_voice: {
    type: 'twilio_voice',
    settings: { account_sid: TWILIO_ACCOUNT, auth_token: 'tok-1', sender: '+1555', recipient: '+49151' },
    message: opened,
    url: `https://api.twilio.com/2010-04-01/Accounts/${TWILIO_ACCOUNT}/Calls.json`,
    headers: { ...FORM, authorization: `Basic ${btoa(`${TWILIO_ACCOUNT}:tok-1`)}` },
    body: {
      To: '+49151',
      From: '+1555',
      Twiml:
        '<Response><Say>Shop &lt;b&gt;&amp; is down: refused</Say><Pause length="1"/><Say>Shop &lt;b&gt;&amp; is down: refused</Say></Response>',
    },
    answer: [201, '{"sid":"CA1"}'],
  },
  sns: {
    type: 'sns',
    settings: {
      topic_arn: 'arn:aws:sns:eu-central-1:123456789012:alerts',
      access_key_id: 'AKIDEXAMPLE',
      secret_access_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    },
    message: opened,
    url: 'https://sns.eu-central-1.amazonaws.com/',
    headers: {
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
      'x-amz-date': '20261121T092431Z',
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20261121\/eu-central-1\/sns\/aws4_request, SignedHeaders=[a-z0-9;-]*host[a-z0-9;-]*, Signature=[0-9a-f]{64}$/,
      ),
    },
    body: {
      Action: 'Publish',
      Version: '2010-03-31',
      TopicArn: 'arn:aws:sns:eu-central-1:123456789012:alerts',
      Subject: 'Shop <b>& is down: refused',
      Message: `Shop <b>& is down: refused\n${lines.join('\n')}\n${link}`,
    },
    answer: [200, '<PublishResponse/>'],
  },
  'opsgenie, opened': {
    type: 'opsgenie',
    settings: { api_key: 'og-key-1' },
    message: opened,
    url: 'https://api.opsgenie.com/v2/alerts',
    headers: { authorization: 'GenieKey og-key-1' },
    body: {
      message: 'Shop <b>& is down: refused',
      alias: incident.id,
      description: `Shop <b>& is down: refused\n${lines.join('\n')}\n${link}`,
      priority: 'P1',
      source: 'Vedette',
      entity: 'Shop <b>&',
      details: { incident: incident.id, target: incident.target.id },
    },
    answer: [202, '{"result":"Request will be processed"}'],
  },
  'opsgenie, acknowledged in the EU': {
    type: 'opsgenie',
    settings: { api_key: 'og-key-1', region: 'eu' },
    message: step('incident.acknowledged'),
    url: `https://api.eu.opsgenie.com/v2/alerts/${incident.id}/acknowledge?identifierType=alias`,
    headers: { authorization: 'GenieKey og-key-1' },
    body: { source: 'Vedette' },
    answer: [202, '{}'],
  },
  'opsgenie, resolved': {
    type: 'opsgenie',
    settings: { api_key: 'og-key-1' },
    message: step('incident.resolved', { status: 'resolved' }),
    url: `https://api.opsgenie.com/v2/alerts/${incident.id}/close?identifierType=alias`,
    body: { source: 'Vedette' },
    answer: [202, '{}'],
  },
  splunk_oncall: {
    type: 'splunk_oncall',
    settings: { url: 'https://alert.victorops.com/integrations/generic/20131114/alert/key-1/ops' },
    message: opened,
    url: 'https://alert.victorops.com/integrations/generic/20131114/alert/key-1/ops',
    body: {
      message_type: 'CRITICAL',
      entity_id: incident.id,
      monitoring_tool: 'Vedette',
      state_start_time: AT / 1000,
      entity_display_name: 'Shop <b>& is down: refused',
      state_message: `Shop <b>& is down: refused\n${lines.join('\n')}`,
      vedette_url: link,
    },
    answer: [200, '{"result":"success","entity_id":"1"}'],
  },
  'grafana_oncall, resolved': {
    type: 'grafana_oncall',
    settings: { url: 'https://oncall.example.com/integrations/v1/formatted_webhook/abc/' },
    message: step('incident.resolved', { status: 'resolved' }),
    url: 'https://oncall.example.com/integrations/v1/formatted_webhook/abc/',
    body: {
      alert_uid: incident.id,
      title: 'Resolved: Shop <b>& is down: refused',
      message: lines.join('\n'),
      link_to_upstream_details: link,
      state: 'ok',
    },
    answer: [200, 'Ok.'],
  },
  home_assistant: {
    type: 'home_assistant',
    settings: { url: 'http://home.example.com:8123', service: 'mobile_app_phone', token: 'ha-token-1' },
    message: opened,
    url: 'http://home.example.com:8123/api/services/notify/mobile_app_phone',
    headers: { authorization: 'Bearer ha-token-1' },
    body: { title: 'Shop <b>& is down: refused', message: lines.join('\n'), data: { url: link, clickAction: link } },
    answer: [200, '[]'],
  },
  apprise: {
    type: 'apprise',
    settings: { url: 'https://apprise.example.com/notify/key-abc', tag: 'ops' },
    message: opened,
    url: 'https://apprise.example.com/notify/key-abc',
    body: {
      title: 'Shop <b>& is down: refused',
      body: `${lines.join('\n')}\n${link}`,
      type: 'failure',
      format: 'text',
      tag: 'ops',
    },
    answer: [200, '{"error":null}'],
  },
  http: {
    type: 'http',
    settings: {
      url: 'https://api.example.com/alerts/1',
      method: 'PUT',
      authorization: 'Token abcdef',
      body_template: '{"text": {{ title | json }}, "id": "{{ incident.id }}", "where": {{ link | json }}}',
    },
    message: opened,
    url: 'https://api.example.com/alerts/1',
    method: 'PUT',
    headers: { authorization: 'Token abcdef' },
    body: { text: 'Shop <b>& is down: refused', id: incident.id, where: link },
    answer: [200, ''],
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
  const { url, method = 'POST', body, headers = {}, message, answer } = one
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
      method,
      path: `${pathname}${search}`,
      headers: { 'content-type': 'application/json', ...headers },
    })
    expect(parse(got?.body)).toEqual(body)
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
    for (const fault of boundFaults(one.type, parse(sent), sent)) expect(fault).toBe('')
  })
})

/** JSON, or the fields of a form. */
// oxlint-disable-next-line typescript/no-explicit-any -- bodies of many services
const parse = (body = ''): any => (body.startsWith('{') ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body)))

/** Bounds of the services, each as its document has it. */
// oxlint-disable-next-line typescript/no-explicit-any -- bodies of many services
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
    mattermost: [['text', body.attachments?.[0].text?.length, 16_383]],
    google_chat: [['message', Buffer.byteLength(sent), 32_000]],
    matrix: [['event', Buffer.byteLength(sent), 65_536]],
    twilio_sms: [['text', body.Body?.length, 1_600]],
    twilio_voice: [['twiml', body.Twiml?.length, 4_000]],
    sns: [
      ['subject', body.Subject?.length, 100],
      ['message', Buffer.byteLength(body.Message ?? ''), 262_144],
    ],
    opsgenie: [
      ['message', body.message?.length, 130],
      ['description', body.description?.length, 15_000],
      ['entity', body.entity?.length, 512],
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

it('the signature for SNS is that of the documented algorithm', async () => {
  let sent: OutboundRequest | undefined
  const take = async (request: OutboundRequest) => {
    sent = request
    return { status: 200, headers: {}, text: '' }
  }
  await deliverBy(take, CASES['sns'] as Case, opened)
  const { headers = {}, secretHeaders = {}, body = '' } = sent ?? {}
  const [, names = '', signature] = /SignedHeaders=([^,]*), Signature=(.*)/.exec(secretHeaders['authorization'] ?? '') ?? []
  const values: Record<string, string> = {
    ...headers,
    host: 'sns.eu-central-1.amazonaws.com',
    'content-length': String(body.length),
  }
  const signed = names.split(';').map((name) => `${name}:${values[name]}\n`)
  const hash = (text: string) => createHash('sha256').update(text).digest('hex')
  const canonical = ['POST', '/', '', signed.join(''), names, hash(String(body))].join('\n')
  const scope = '20261121/eu-central-1/sns/aws4_request'
  const toSign = ['AWS4-HMAC-SHA256', '20261121T092431Z', scope, hash(canonical)].join('\n')
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${CASES['sns']?.settings.secret_access_key}`)
  expect(signature).toBe(hmac(key, toSign).toString('hex'))
})

it.each(['opsgenie, opened', 'splunk_oncall', 'grafana_oncall, resolved'])('a test of %s leaves nothing open', async (name) => {
  const sent: string[] = []
  const take = async ({ url, body }: OutboundRequest) => {
    sent.push(`${new URL(url).pathname} ${body.toString()}`)
    return { status: 200, headers: {}, text: '' }
  }
  await deliverBy(take, CASES[name] as Case, test)
  expect(sent).toHaveLength(2)
  expect(sent[1]).toMatch(/msg_1\/close|"RECOVERY".*"msg_1"|"msg_1".*"state":"ok"/)
})

describe('Pushover', () => {
  /** What is sent where the cancellation is answered with this status. */
  async function deliver(message: Message, status: number): Promise<[string, number | undefined][]> {
    const sent: [string, number | undefined][] = []
    const answer = async ({ url, body }: OutboundRequest) => {
      sent.push([new URL(url).pathname, JSON.parse(String(body)).priority])
      return { status: url.includes('/receipts/') ? status : 200, headers: {}, text: '{}' }
    }
    await deliverBy(answer, CASES['pushover'] as Case, message)
    return sent
  }
  const CANCEL = [`/1/receipts/cancel_by_tag/${incident.id}.json`, undefined]

  it.each([
    ['acknowledged', 1],
    ['resolved', 0],
  ] as const)('repeats nothing of a critical incident that is %s', async (end, priority) => {
    for (const status of [200, 400, 404])
      expect(await deliver(step(`incident.${end}`), status)).toEqual([CANCEL, ['/1/messages.json', priority]])
    for (const status of [429, 500]) await expect(deliver(step(`incident.${end}`), status)).rejects.toThrow(String(status))
  })

  it('cancels nothing of an incident that it did not repeat', async () => {
    expect(await deliver(step('incident.resolved', { severity: 'warning' }), 500)).toEqual([['/1/messages.json', 0]])
  })
})

it('Grafana OnCall takes no acknowledgement from outside: none is sent', async () => {
  const take = () => Promise.reject(new Error('nothing is meant to be sent'))
  expect(await deliverBy(take, CASES['grafana_oncall, resolved'] as Case, step('incident.acknowledged'))).toBeUndefined()
})

it.each([
  ['splunk_oncall', 200, '{"result":"failure","message":"bad key"}'],
  ['apprise', 204, ''],
])('%s has not accepted a message although it answers with %i', async (name, status, text) => {
  const take = async () => ({ status, headers: {}, text })
  await expect(deliverBy(take, CASES[name] as Case, opened)).rejects.toMatchObject({ code: 'refused' })
})

describe('a message that a chat refuses at first', () => {
  /** Bodies of the requests; `refusal` answers the first one. */
  async function deliver(name: string, settings: ChannelSettings, refusal: string): Promise<Record<string, unknown>[]> {
    const bodies: Record<string, unknown>[] = []
    const take = async ({ body }: OutboundRequest) => {
      bodies.push(JSON.parse(String(body)))
      return bodies.length === 1 ? { status: 400, headers: {}, text: refusal } : { status: 200, headers: {}, text: '{"ok":true}' }
    }
    const known = CASES[name] as Case
    await deliverBy(take, { ...known, settings: { ...known.settings, ...settings } }, opened)
    return bodies
  }

  it('is sent to the supergroup that a group of Telegram has become, in its topic', async () => {
    const refusal = '{"ok":false,"error_code":400,"description":"Bad Request","parameters":{"migrate_to_chat_id":-1001234567890}}'
    const [first, second, ...others] = await deliver('telegram', { message_thread_id: '7' }, refusal)
    expect(first).toMatchObject({ chat_id: '-42', message_thread_id: 7 })
    expect([second, others]).toEqual([{ ...first, chat_id: '-1001234567890' }, []])
  })

  it('begins a thread in a forum channel of Discord', async () => {
    const refusal = '{"message":"Webhooks posted to forum channels must have a thread_name or thread_id","code":220001}'
    const [first, second, ...others] = await deliver('discord', {}, refusal)
    expect(first).not.toHaveProperty('thread_name')
    expect([second, others]).toEqual([{ ...first, thread_name: 'Shop <b>& is down: refused' }, []])
  })

  it.each([
    ['telegram', '{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}'],
    ['telegram', '[]'],
    ['telegram', '{"parameters":{"migrate_to_chat_id":"x"}}'],
    ['discord', '{"message":"Unknown Webhook","code":10015}'],
    ['discord', 'no JSON'],
  ])('is not sent again by %s after %s', async (name, refusal) => {
    await expect(deliver(name, {}, refusal)).rejects.toMatchObject({ code: 'refused' })
  })
})

describe('the runbook of an incident', () => {
  const url = 'https://wiki.example.com/shop?a=1#b_c'
  const of = (documentation: object, own: object = {}) => step('incident.opened', { ...own, evidence: { documentation } })
  const bodyOf = async (name: string, message: Message): Promise<string> => {
    let sent = ''
    const take = async ({ body }: OutboundRequest) => {
      sent ||= String(body)
      return { status: 200, headers: {}, text: '{"ok":true,"status":1}' }
    }
    const { type, settings } = Object.values(CASES).find((one) => one.type === name) as Case
    const mail = (one: object) => {
      sent = JSON.stringify(one)
    }
    const kind = CHANNEL_KINDS[type]
    const own = kind.linksRunbook ? message : withRunbookLine(message)
    await kind.deliver(settings, own, { send: take, mail, nowMs: () => AT })
    return sent.startsWith('{') ? sent : decodeURIComponent(sent)
  }
  const KINDS = Object.keys(CHANNEL_TYPES).filter((name) => Object.values(CASES).some(({ type }) => type === name))

  // A call reads the title alone, and the body of `http` is a template of people.
  it.each(KINDS.filter((name) => name !== 'twilio_voice' && name !== 'http'))('is in a message by %s', async (name) => {
    expect(await bodyOf(name, of({ target: { runbook_url: url } }))).toContain('wiki.example.com/shop')
  })

  // Programs get the whole incident.
  it.each(KINDS.filter((name) => name !== 'webhook'))('is in no message by %s once it is resolved', async (name) => {
    const resolved = of({ target: { runbook_url: url } }, { status: 'resolved' })
    expect(await bodyOf(name, resolved)).not.toContain('wiki.example.com')
  })

  it('is that of the rule before that of the target', () => {
    const rule = { runbook_url: 'https://wiki.example.com/rule' }
    expect(runbookOf(of({ rule, target: { runbook_url: url } }))).toBe(rule.runbook_url)
    expect(runbookOf(of({ rule: { runbook_url: null }, target: { runbook_url: url } }))).toBe(url)
  })

  it.each([
    ['another scheme', 'javascript:alert(1)'],
    ['a blank', 'https://a b'],
    ['what ends a link of Slack', 'https://a|b>'],
    ['more than 1,000 characters', `https://${'a'.repeat(1_000)}`],
    ['no text', 7],
  ])('is left out where evidence has %s', (_what, runbook_url) => {
    expect(runbookOf(of({ target: { runbook_url } }))).toBeUndefined()
  })

  it('is in no message about several incidents', () => {
    const one = of({ target: { runbook_url: url } })
    expect(runbookOf({ data: { ...one.data, incidents: [], total: 2 } })).toBeUndefined()
  })
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
  const shared = new Set(['attachment', 'index', 'post', 'twilio'])
  expect(Object.keys(CHANNEL_KINDS).toSorted()).toEqual(Object.keys(CHANNEL_TYPES).toSorted())
  expect(
    files
      .filter((name) => !shared.has(name))
      .map((name) => name.replaceAll('-', '_'))
      .toSorted(),
  ).toEqual(Object.keys(CHANNEL_KINDS).toSorted())
})
