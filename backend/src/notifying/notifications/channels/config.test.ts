import { type ChannelConfigBody, type ChannelType } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { configFaults, maskConfig, mergeConfig, movedSecretFaults, secretsOf, splitConfig, webhookSecret } from './config.ts'

const SECRET = webhookSecret(Buffer.alloc(32, 7))
const url = 'https://hooks.example.com/a'

describe('the validation of a config', () => {
  it.each<[string, ChannelType, ChannelConfigBody]>([
    ['', 'webhook', { url }],
    ['', 'webhook', { url, secret: SECRET }],
    ['config.secret', 'webhook', { url, secret: SECRET.slice(6) }],
    ['config.secret', 'webhook', { url, secret: `${SECRET}=` }],
    ['config.secret', 'webhook', { url, secret: webhookSecret(Buffer.alloc(23)) }],
    ['', 'webhook', { url, secret: webhookSecret(Buffer.alloc(24)) }],
    ['', 'webhook', { url, secret: webhookSecret(Buffer.alloc(64)) }],
    ['config.secret', 'webhook', { url, secret: webhookSecret(Buffer.alloc(65)) }],
    ['config.secret', 'webhook', { url, secret: '•••' }],
    ['config.url', 'webhook', {}],
    ['config.url', 'webhook', { url: 'ftp://example.com/' }],
    ['config.url', 'webhook', { url: 'https://user:secret@example.com/' }],
    ['config.topic', 'webhook', { url, topic: 'a' }],
    ['', 'email', { to: 'ada@example.com' }],
    ['config.to', 'email', { to: 'ada' }],
    ['config.to', 'email', { to: 'ada@example.com\nBcc: eve@example.com' }],
    ['', 'slack', { url }],
    ['', 'telegram', { bot_token: 'a', chat_id: '1' }],
    ['config.chat_id', 'telegram', { bot_token: 'a' }],
    ['', 'pagerduty', { routing_key: 'a' }],
    ['', 'pagerduty', { routing_key: 'a', region: 'eu' }],
    ['config.region', 'pagerduty', { routing_key: 'a', region: 'ap' }],
    ['config.region', 'slack', { url, region: 'eu' }],
    ['', 'ntfy', { url: 'https://ntfy.example.com', topic: 'a' }],
    ['', 'ntfy', { url: 'https://ntfy.example.com:8443/', topic: 'a', token: 'b' }],
    ['config.url', 'ntfy', { url: 'https://ntfy.example.com/a', topic: 'a' }],
    ['config.token', 'gotify', { url }],
    ['', 'pushover', { user_key: 'a', app_token: 'b' }],
  ])('%s in a %s of %j [CHANNEL-04]', (path, type, config) =>
    expect(configFaults(type, config as never, new Map()).map((fault) => fault.path)).toEqual(path === '' ? [] : [path]),
  )
})

it('secrets are masked and encrypted, other fields are not [CHANNEL-03]', () => {
  const config = { url, topic: 'a', token: 'b' }
  expect(maskConfig('ntfy', config, true)).toEqual({ url, topic: 'a', token: '•••' })
  expect(maskConfig('ntfy', config, false)).toEqual({ url, topic: '•••', token: '•••' })
  expect(maskConfig('webhook', { url }, false)).toEqual({ url: '•••' })
  expect(splitConfig('ntfy', config)).toEqual({ open: { url, topic: 'a' }, secret: { token: 'b' } })
  expect(splitConfig('slack', { url })).toEqual({ open: {}, secret: { url } })
})

it('a change keeps omitted and masked fields, and removes null ones [CHANNEL-03]', () => {
  const current = { url, topic: 'a', token: 'b' }
  expect(mergeConfig(current, { topic: 'c' })).toEqual({ ...current, topic: 'c' })
  expect(mergeConfig(current, { token: '•••' })).toEqual(current)
  expect(mergeConfig(current, { token: null })).toEqual({ url, topic: 'a' })
  expect(mergeConfig({}, { token: '•••' })).toEqual({ token: '•••' })
})

describe('a change of the URL to another origin', () => {
  const ntfy = { url: 'https://ntfy.example.com', topic: 'a', token: 'b' }
  it.each<[string, ChannelConfigBody]>([
    ['', { url: 'https://ntfy.example.com:443/' }],
    ['', { url: 'https://other.example.com', token: 'c' }],
    ['', { url: 'https://other.example.com', token: null }],
    ['', { token: 'c' }],
    ['config.token', { url: 'https://other.example.com' }],
    ['config.token', { url: 'https://other.example.com', token: '•••' }],
    ['config.token', { url: 'http://ntfy.example.com' }],
    ['config.token', { url: 'https://ntfy.example.com:8443' }],
    ['config.token', { url: 'nonsense' }],
  ])('names %s for %j', (path, body) =>
    expect(movedSecretFaults('ntfy', ntfy, body).map((fault) => fault.path)).toEqual(path === '' ? [] : [path]),
  )

  it('keeps the signing secret of a webhook, which no request has', () =>
    expect(movedSecretFaults('webhook', { url, secret: SECRET }, { url: 'https://other.example.com' })).toEqual([]))
})

it('the secrets of a chat are its URL, path and query with their long parts', () => {
  const token = 'x'.repeat(16)
  const secrets = [`https://example.com/a/${token}?sig=${token}z`, `/a/${token}?sig=${token}z`, `/a/${token}`, token, `${token}z`]
  expect(secretsOf('teams', { url: secrets[0] as string })).toEqual(secrets)
  expect(secretsOf('ntfy', { url, topic: 'alerts', token: 'abcd' }, SECRET)).toEqual(['abcd', SECRET])
})
