import { validateDefinition } from '@vedette/shared/tables'
import { describe, expect, it } from 'vitest'
import { VedetteError } from '@vedette/client'
import { InvalidInput } from '../../lib/errors.ts'
import { furtherFaults } from './further-faults.ts'
import { definitionFaults, inPlainWords, withPlainFaults } from './plain-faults.ts'
import { NEW_MONITOR, withType } from './input.ts'

type Definition = Parameters<typeof validateDefinition>[0]
const heartbeat = (schedule: object): Definition => ({ type: 'heartbeat', url: 'heartbeat://', options: { schedule } })
const step = (part: object, credentials = {}): Definition => ({
  type: 'steps',
  url: 'https://a.example/',
  credentials,
  options: { steps: [{ name: 'a', url: '/', ...part }] },
})
const http = (part: Definition): Definition => ({ type: 'http', url: 'https://a.example/', ...part })
const assertion = (part: object): Definition =>
  http({ assertions: [{ type: 'status_code', operator: 'equals', value: 200, ...part } as never] })

/** One of each fault that a person can make. */
const REFUSED: readonly Definition[] = [
  http({ url: 'ftp://a.example' }),
  http({ url: 'https://a:b@a.example' }),
  http({ url: 'https://a.example:0' }),
  http({ url: 'https://a.example:25' }),
  http({ url: 'https://[fe80::1%eth0]/' }),
  http({ url: `https://a.example/${'a'.repeat(3_000)}` }),
  http({ body: 'é'.repeat(40_000), method: 'POST' }),
  http({ headers: { 'a b': 'c' } }),
  http({ headers: { Connection: 'close' } }),
  http({ headers: { a: ' b' } }),
  http({ headers: { a: 'b'.repeat(5_000) } }),
  http({ headers: { Host: 'a b' } }),
  http({ headers: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`h${index}`, ''])) }),
  http({ credentials: { bearer_token: 'a b' } }),
  http({ credentials: { bearer_token: 'a'.repeat(5_000) } }),
  http({ credentials: { oauth2_client_secret: 'a' } }),
  http({ options: { oauth2_client_id: 'a' } }),
  http({ options: { oauth2_token_url: 'a' } }),
  http({ options: { oauth2_token_url: 'https://a.example' } }),
  http({ options: { oauth2_token_url: 'https://a.example', oauth2_client_id: 'a' } }),
  http({
    options: { oauth2_token_url: 'https://a.example', oauth2_client_id: 'a' },
    credentials: { oauth2_client_secret: 'b', bearer_token: 'c' },
  }),
  http({ headers: { Authorization: 'a' }, credentials: { bearer_token: 'c' } }),
  http({ credentials: { client_certificate: 'a' } }),
  http({ credentials: { client_certificate: 'a', client_key: 'b' } }),
  http({ credentials: { client_certificate: '-----BEGIN CERTIFICATE-----', client_key: 'b' } }),
  assertion({ value: 2_000 }),
  assertion({ value: 'a' }),
  assertion({ type: 'json_path', operator: 'less_than', property: '$.a', value: Infinity }),
  assertion({ type: 'json_path', operator: 'contains', property: '$.a', value: '' }),
  assertion({ type: 'json_path', operator: 'equals', value: 'a' }),
  assertion({ type: 'header', operator: 'exists', property: 'a b', value: undefined }),
  assertion({ type: 'ttl' }),
  assertion({ operator: 'contains' }),
  assertion({ value: undefined }),
  { type: 'tcp', url: 'tcp://a.example' },
  { type: 'tcp', url: 'tcp://a.example:1/b' },
  { type: 'tcp', url: 'tcp://a.example:1', options: { send: String.raw`\q`, expect: 'a'.repeat(2_000) } },
  { type: 'tcp', url: 'tcp://a.example:1', options: { send: String.raw`\q` } },
  { type: 'tls', url: 'tls://a.example', options: { server_name: 'a b' } },
  { type: 'tls', url: 'tls://a.example', options: { starttls: 'smtp' } },
  { type: 'icmp', url: 'icmp://a.example:1' },
  { type: 'icmp', url: 'icmp://a.example/b' },
  { type: 'icmp', url: 'icmp://a.example', options: { packets: 11, packet_bytes: 1, family: 'ipv5' } },
  { type: 'dns', url: 'dns:///' },
  { type: 'dns', url: 'dns:///a.example?type=X' },
  { type: 'dns', url: 'dns:///a.example?type=A&b=c' },
  { type: 'domain', url: 'domain://localhost' },
  { type: 'postgres', url: 'postgres://a.example' },
  { type: 'postgres', url: 'postgres://a.example/b/c', credentials: { username: 'a' } },
  { type: 'mysql', url: 'mysql://a.example', credentials: { username: 'a\nb' } },
  { type: 'redis', url: 'redis://a.example/b', options: { command: 'SET a b' } },
  { type: 'redis', url: 'redis://a.example', options: { command: 'GET' } },
  { type: 'redis', url: 'redis://a.example', credentials: { username: 'a' } },
  { type: 'udp', url: 'udp://a.example' },
  { type: 'snmp', url: 'snmp://a.example' },
  { type: 'snmp', url: 'snmp://a.example', options: { version: '3' }, credentials: { auth_password: 'a' } },
  { type: 'snmp', url: 'snmp://a.example', options: { oids: 'a' } },
  { type: 'snmp', url: 'snmp://a.example', options: { oids: ['a', { oid: 'b', name: 'B', as: 'c' }] } },
  { type: 'snmp', url: 'snmp://a.example', options: { oids: Array.from({ length: 2 }, () => ({ oid: '1.3', name: 'a' })) } },
  { type: 'sip', url: 'sip://a.example/b', options: { user: 'a b' } },
  { type: 'rtsp', url: 'rtsp://a.example/b#c', credentials: { password: 'a' } },
  { type: 'ldap', url: 'ldap://a.example/b?c', options: { filter: 'a', attribute: 'b c' } },
  { type: 'ldap', url: 'ldaps://a.example', options: { starttls: true, attribute: 'a' }, credentials: { username: 'a' } },
  { type: 'upstream', url: 'https://a.example', interval: 10, options: { components: [''] } },
  { type: 'smtp', url: 'smtp://a.example', credentials: { username: 'a' } },
  { type: 'smtp', url: 'smtp://a.example', credentials: { username: 'a', password: 'b' } },
  { type: 'ftp', url: 'ftp://a.example/b%00#c', options: { list: true } },
  { type: 'mongodb', url: 'mongodb://a.example/b/c', options: { auth_source: 'a.b' }, credentials: { username: 'a' } },
  { type: 'mqtt', url: 'mqtt://a.example/b+#', options: { client_id: '\n' }, credentials: { password: 'a' } },
  { type: 'ntp', url: 'ntp://a.example/b' },
  { type: 'radius', url: 'radius://a.example/b', credentials: { password: 'ä\0'.repeat(70) } },
  {
    type: 'radius',
    url: 'radius://a.example',
    credentials: { username: 'ä'.repeat(127) },
    options: { nas_identifier: 'ä'.repeat(127) },
  },
  { type: 'ssh', url: 'ssh://a.example/b', options: { host_key: 'dsa' } },
  { type: 'websocket', url: 'wss://a.example', options: { subprotocol: 'a b' } },
  { type: 'heartbeat', url: 'heartbeat://start', options: { schedule: { period_seconds: 60, grace_seconds: 0 } } },
  {
    type: 'heartbeat',
    url: 'heartbeat://',
    credentials: { token: 'a' },
    options: { schedule: { period_seconds: 60, grace_seconds: 0 } },
  },
  heartbeat({ period_seconds: 1, grace_seconds: -1 }),
  ...['61 * * * *', '* *', '0 0 31 2 *', '* * * * x'].map((cron) => heartbeat({ cron, time_zone: 'Mars', grace_seconds: 0 })),
  ...[
    '25:00',
    'Xyz 02:00',
    '*-13-01',
    '02:00 UTC',
    '02:00 x y',
    'a',
    '*:*:*',
    '*:0,1,2:0/1',
    `*:*:${Array.from({ length: 61 }, (_, index) => index % 60).join()}`,
  ].map((calendar) => heartbeat({ on_calendar: calendar, time_zone: 'UTC', grace_seconds: 0 })),
  { type: 'steps', url: 'https://a.example/', options: {} },
  step({ name: '' }),
  step({ url: 'ftp://b.example' }),
  step({ headers: { Authorization: 'a' } }),
  step({ url: '/{{token}}' }),
  step({ captures: [{ name: 'A', json_path: '' }, { name: 'b' }] }),
]

/** As it is for programs. */
const FOR_PROGRAMS = /\bmust\b|options\.|credentials\.|\bis known\b/

describe('the words for a fault', () => {
  it.each(REFUSED)('are those for people: %#', (definition) => {
    const faults = validateDefinition(definition)
    expect(faults).not.toEqual([])
    for (const fault of faults) {
      const { message } = inPlainWords(fault)
      expect([fault, message]).toEqual([fault, expect.stringMatching(/^[^a-z ].*\.$/)])
      expect(FOR_PROGRAMS.test(message) ? [fault, message] : []).toEqual([])
    }
  })

  it('are a sentence of the API where only the API knows them', () => {
    expect(inPlainWords({ path: 'assertions.0.value', message: 'has two fixed repetitions' }).message).toBe(
      'Has two fixed repetitions.',
    )
  })

  it('replace those of a refusal, and are shown apart where no field has them', () => {
    const details = [
      { path: 'options.packets', message: 'must be a whole number from 1 to 10' },
      { path: 'server_id', message: 'is not known' },
    ]
    const error = withPlainFaults(
      new VedetteError(400, { code: 'validation_error', message: 'a', details, request_id: 'b' }, undefined),
    )
    expect(error).toBeInstanceOf(InvalidInput)
    expect((error as InvalidInput).details[0]?.message).toBe('Enter a number from 1 to 10.')
    expect(furtherFaults(error)).toEqual(['Is not known.'])
  })

  it('stand at the part of the address, and nowhere else', () => {
    const input = { ...NEW_MONITOR, ...withType(NEW_MONITOR, 'tcp'), url: 'tcp://my db:99999' }
    expect(definitionFaults(input).map(({ path }) => path)).toEqual(['url.host', 'url.port'])
    expect(definitionFaults({ ...input, url: '' })).toEqual([])
  })
})
