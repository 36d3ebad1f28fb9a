import { describe, expect, it } from 'vitest'
import { keptNames, movedCredentials } from './credentials.ts'
import { CHECK_TYPES } from './kinds/index.ts'

interface Example {
  type: string
  url: string
  options?: Record<string, unknown>
  /** Names of credentials. */
  credentials: string[]
  /** Changes that send the credentials elsewhere; each names the field that decides it. */
  moves: Record<string, object>
  /** Changes that leave them where they are. */
  stays: Record<string, object>
}

const LOGIN = ['username', 'password']
const port = 'http://127.0.0.1:1'
const login = (type: string, path = '', options = {}): Example => ({
  type,
  url: `${type}://127.0.0.1:1${path}`,
  options,
  credentials: LOGIN,
  moves: { port: { url: `${type}://127.0.0.1:2${path}` }, host: { url: `${type}://localhost:1${path}` } },
  stays: { timeout: { timeout: 7 }, ...(path && { path: { url: `${type}://127.0.0.1:1/1` } }) },
})
const bearer = (type: string, secure: string): Example => ({
  type,
  url: `${type}://127.0.0.1:1/a`,
  credentials: ['bearer_token'],
  moves: {
    port: { url: `${type}://127.0.0.1:2/a` },
    host: { url: `${type}://localhost:1/a` },
    scheme: { url: `${secure}://127.0.0.1:1/a` },
  },
  stays: { path: { url: `${type}://127.0.0.1:1/b` }, name: { name: 'renamed' } },
})
const steps = (...urls: string[]) => urls.map((url, index) => ({ name: `${index}`, url }))
const withToken = { name: 'token', url: '/', headers: { Authorization: 'Bearer {{token}}' } }
const STEPS: Example = {
  type: 'steps',
  url: `${port}/`,
  options: { steps: [withToken, ...steps('/next', 'http://127.0.0.1:2/')] },
  credentials: ['username', 'password', 'token'],
  moves: {
    url: { url: 'http://127.0.0.1:3/' },
    'a further step': { options: { steps: [withToken, ...steps('http://127.0.0.1:3/')] } },
    'the URL of the step': { options: { steps: [{ ...withToken, url: 'http://127.0.0.1:3/' }] } },
    'the scheme of a step': { options: { steps: [withToken, ...steps('https://127.0.0.1:2/')] } },
    'a name in a host': { options: { steps: [{ ...withToken, url: 'http://{{username}}.example.com/' }] } },
    'a step that had no credential': { options: { steps: [{ ...withToken, url: 'http://127.0.0.1:2/' }] } },
    'a body': {
      options: { steps: [withToken, { name: 'b', url: 'http://127.0.0.1:2/', method: 'POST', body: 'a {{token}}' }] },
    },
    'a query': { options: { steps: [withToken, { name: 'q', url: 'http://127.0.0.1:2/?a={{token}}' }] } },
  },
  stays: {
    path: { url: `${port}/other` },
    'fewer steps': { options: { steps: [withToken] } },
    'another path': { options: { steps: [{ ...withToken, url: '/other' }, ...steps('http://127.0.0.1:2/else')] } },
  },
}

/** One at least for every credential of every kind. */
const EXAMPLES: Record<string, Example> = {
  http: { ...bearer('http', 'https') },
  'http with a client certificate': { ...bearer('http', 'https'), credentials: ['client_certificate', 'client_key'] },
  'http with OAuth 2': {
    type: 'http',
    url: `${port}/`,
    options: { oauth2_token_url: `${port}/token`, oauth2_client_id: 'a' },
    credentials: ['oauth2_client_secret'],
    moves: {
      url: { url: 'http://127.0.0.1:2/' },
      'the token endpoint': { options: { oauth2_token_url: 'http://127.0.0.1:2/token', oauth2_client_id: 'a' } },
    },
    stays: {
      path: { url: `${port}/other` },
      'the path of the token endpoint': { options: { oauth2_token_url: `${port}/other`, oauth2_client_id: 'a' } },
    },
  },
  grpc: { ...bearer('grpc', 'grpcs') },
  websocket: { ...bearer('ws', 'wss'), type: 'websocket' },
  smtp: login('smtp', '', { tls: 'starttls' }),
  imap: login('imap', '', { tls: 'starttls' }),
  postgres: login('postgres', '/db'),
  mysql: login('mysql', '/db'),
  ftp: login('ftp', '/folder'),
  mongodb: login('mongodb', '/db'),
  mqtt: login('mqtt', '/topic'),
  radius: { ...login('radius'), credentials: ['shared_secret', ...LOGIN] },
  redis: login('redis', '/0'),
  rtsp: login('rtsp', '/a'),
  ldap: login('ldap', '/dc=a'),
  snmp: { ...login('snmp'), credentials: ['community', 'auth_password', 'priv_password'] },
  steps: STEPS,
  heartbeat: {
    type: 'heartbeat',
    url: 'heartbeat://',
    options: { schedule: { period_seconds: 300, grace_seconds: 60 } },
    credentials: ['token'],
    moves: {},
    stays: { name: { url: 'heartbeat://renamed' } },
  },
}

/** Changes to an origin that another step has already: they concern only the credential that is sent there. */
const OF_ONE_STEP = new Set(['a step that had no credential', 'a body', 'a query'])

it('each credential of each kind has an example', () => {
  const known = Object.entries(CHECK_TYPES).flatMap(([type, { credentials }]) =>
    Object.keys(credentials).map((name) => `${type} ${name}`),
  )
  const examples = Object.values(EXAMPLES).flatMap(({ type, credentials }) => credentials.map((name) => `${type} ${name}`))
  expect([...new Set(examples)].sort()).toEqual(known.sort())
})

describe.each(Object.entries(EXAMPLES))('the credentials of %s', (_, { type, url, options = {}, credentials, moves, stays }) => {
  const before = { url, options }
  it.each(Object.entries(moves))('move with a change of %s', (name, change) => {
    const moved = movedCredentials(type, credentials, before, { ...before, ...change })
    expect(moved).toEqual(OF_ONE_STEP.has(name) ? ['token'] : credentials)
  })
  it.each(Object.entries(stays))('stay with a change of %s', (_change, change) => {
    expect(movedCredentials(type, credentials, before, { ...before, ...change })).toEqual([])
  })
})

it.each([{}, { steps: 7 }, { steps: [null, 'a', {}, { url: 7 }, { url: 'http://[' }] }, { steps: {} }])(
  'options with faults %j are taken without an error',
  (options) => {
    expect(movedCredentials('steps', ['token'], { url: 'no URL', options }, { url: '', options })).toEqual(expect.any(Array))
    expect(movedCredentials('unknown', ['token'], { url: 'a', options }, { url: 'a', options })).toEqual([])
  },
)

it('a change keeps what it masks, and everything where it does not have the field', () => {
  const stored = { username: 'a', password: 'b' }
  expect(keptNames(stored, undefined)).toEqual(['username', 'password'])
  expect(keptNames(stored, { username: 'c', password: '•••' })).toEqual(['password'])
  expect(keptNames(stored, {})).toEqual([])
})

describe.each(['postgres', 'http', 'steps', 'smtp'])('the credentials of %s', (type) => {
  const before = { url: 'https://db.example.com', options: { proxy_url: 'socks5://ada@proxy.example.com:1080' } }
  const names = type === 'http' ? ['bearer_token'] : ['password']
  const moved = (options: object) =>
    movedCredentials(type, [...names, 'proxy_password'], before, { ...before, options: { ...before.options, ...options } })

  it.each([{ connect_to: '192.0.2.1' }, { connect_to: 'other.example.com:443' }])(
    'move with a change of the target by %j',
    (options) => {
      expect(moved(options)).toEqual(names)
    },
  )
  it.each([{ proxy_url: 'http://ada@proxy.example.com:1080' }, { dns_servers: ['192.0.2.53'] }])(
    'move, and that of the proxy too, with a change of the way by %j',
    (options) => {
      expect(moved(options)).toEqual([...names, 'proxy_password'])
    },
  )
  it.each([{ proxy_url: 'socks5://bob@proxy.example.com:1080' }, { ip_family: 'ipv6' }, { invert: true }])(
    'stay with a change of %j',
    (options) => {
      expect(moved(options)).toEqual([])
    },
  )
  it('stay when an option is left out', () => {
    expect(movedCredentials(type, names, before, { url: before.url, options: {} })).toEqual([])
  })
})
