import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { checkKindSpec, type Step, validateDefinition } from '@vedette/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import { createProber } from '../../index.ts'
import { defineCheck } from '../../test/define-check.ts'
import { patternFaultsOfSteps } from './capture.ts'

const prober = createProber({ allowPrivateTargets: 'all' })
let server: Server
let url: string
/** `POST /login {"user":"ann"} authorization`, in the order of arrival. */
let seen: string[] = []

const SESSION = 'session-0123456789'
const bodyOf = async (request: IncomingMessage) => Buffer.concat(await request.toArray()).toString()

beforeAll(async () => {
  server = createServer((request, response) => {
    const answer = (body: string) => {
      const { authorization = '', cookie = '' } = request.headers
      seen.push([request.method, request.url, body, authorization, cookie].filter((part) => part !== '').join(' '))
      const path = (request.url ?? '').split('?')[0]
      if (path === '/login') {
        response.setHeader('set-cookie', ['sid=c00kie-value; Path=/; HttpOnly', 'theme=dark'])
        return response.end(JSON.stringify({ token: SESSION, user: { id: 'a/b?c' }, list: [] }))
      }
      if (path === '/enter') {
        const cookies = ['sid=of-the-redirect; Path=/', 'theme=light']
        return response.writeHead(302, { location: '/welcome', 'set-cookie': cookies }).end()
      }
      if (path === '/broken') return response.writeHead(500).end(`no session for ${SESSION}`)
      return response.end('fine')
    }
    bodyOf(request).then(answer, () => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
beforeEach(() => void (seen = []))
afterAll(() => {
  prober.close()
  server.close()
})

const LOGIN: Step = {
  name: 'Sign in',
  url: 'login',
  method: 'POST',
  body: '{"user":"{{username}}","password":"{{password}}"}',
  captures: [
    { name: 'session', json_path: '$.token' },
    { name: 'id', json_path: '$.user.id' },
    { name: 'sid', header: 'Set-Cookie' },
  ],
}
const credentials = { username: 'ann', password: 'opensesame' }
const check = (steps: Step[], assertions: object[] = []) =>
  prober.check(defineCheck('steps', url, { steps }, { credentials, assertions: assertions as never }))

describe('a check in steps', () => {
  it('sends each request with the values of the ones before, and reports each step', async () => {
    const profile = {
      name: 'Profile',
      url: '/users/{{id}}?of={{username}}',
      headers: { Authorization: 'Bearer {{session}}', Cookie: '{{sid}}' },
      assertions: [{ type: 'body', operator: 'contains', value: 'fine' }],
    }
    const result = await check([LOGIN, profile], [{ type: 'status_code', operator: 'equals', value: 200 }])
    expect(seen).toEqual([
      'POST /login {"user":"ann","password":"opensesame"}',
      `GET /users/a%2Fb%3Fc?of=ann Bearer ${SESSION} sid=c00kie-value`,
    ])
    expect(result).toMatchObject({ outcome: 'up', status_code: 200, error: null })
    expect(result.facts).toEqual({
      step_1: expect.stringMatching(/^Sign in: 200, [\d.]+ ms$/),
      step_2: expect.stringMatching(/^Profile: 200, [\d.]+ ms$/),
    })
  })

  it('sends the cookies that a redirect set to later steps, unless a step has its own', async () => {
    const steps = [
      { name: 'Enter', url: '/enter', method: 'POST' as const },
      LOGIN,
      { name: 'Page', url: '/page' },
      { name: 'Own', url: '/own', headers: { Cookie: '{{sid}}' } },
    ]
    expect(await check(steps)).toMatchObject({ outcome: 'up', error: null })
    const entered = 'sid=of-the-redirect; theme=light'
    expect(seen).toEqual([
      'POST /enter',
      `GET /welcome ${entered}`,
      `POST /login {"user":"ann","password":"opensesame"} ${entered}`,
      `GET /page ${entered}`,
      'GET /own sid=c00kie-value; theme=light',
    ])
  })

  it('sends no body with a password to another origin', async () => {
    const calls: string[] = []
    const other = createServer((request, response) => {
      calls.push(request.url ?? '')
      response.end()
    })
    const first = createServer((_, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${(other.address() as AddressInfo).port}/` }).end()
    })
    for (const one of [other, first]) await once(one.listen(0, '127.0.0.1'), 'listening')
    const result = await check([{ ...LOGIN, url: `http://127.0.0.1:${(first.address() as AddressInfo).port}/` }])
    expect(result).toMatchObject({
      outcome: 'down',
      error: { code: 'blocked', message: expect.stringContaining('another origin') },
    })
    expect(calls).toEqual([])
    for (const one of [other, first]) one.close()
  })

  it('ends with the first step that fails, whose response is evidence without what was captured', async () => {
    const result = await check([LOGIN, { name: 'Cart', url: '/broken' }, { name: 'Pay', url: '/pay' }])
    expect(result).toMatchObject({
      outcome: 'down',
      status_code: 500,
      error: { code: 'status', message: 'step 2 (Cart): status 500 (expected 200–399)' },
      answer: { body: 'no session for •••' },
    })
    expect(seen).toHaveLength(2)
    expect(Object.keys(result.facts ?? {})).toEqual(['step_1', 'step_2'])
  })

  it.each([
    ['a path that selects nothing', { name: 'x', json_path: '$.absent' }],
    ['a path into an empty list', { name: 'x', json_path: '$.list[0]' }],
    ['a header that is absent', { name: 'x', header: 'x-absent' }],
  ])('is down with %s', async (_, capture) => {
    const result = await check([
      { ...LOGIN, captures: [capture] },
      { name: 'Next', url: '/{{x}}' },
    ])
    expect(result).toMatchObject({
      outcome: 'down',
      error: { code: 'assertion', message: 'step 1 (Sign in): nothing to capture as {{x}}' },
    })
    expect(seen).toHaveLength(1)
  })

  it('is degraded if a step is, unless an assertion on the last response fails', async () => {
    const slow = { ...LOGIN, assertions: [{ type: 'response_time', operator: 'less_than', value: 0 }] }
    const next = { name: 'Next', url: '/next' }
    expect(await check([slow, next])).toMatchObject({
      outcome: 'degraded',
      error: { code: 'assertion', message: expect.stringMatching(/^step 1 \(Sign in\): response time/) },
    })
    expect((await check([slow, next], [{ type: 'body', operator: 'contains', value: 'never' }])).outcome).toBe('down')
    expect(seen).toHaveLength(4)
  })

  it('is down if a step finds no target, and names it', async () => {
    const result = await check([LOGIN, { name: 'Elsewhere', url: 'http://127.0.0.1:1/' }])
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'connect' } })
    expect(result.error?.message).toMatch(/^step 2 \(Elsewhere\): /)
  })

  it('does not put a line break of a response into a header', async () => {
    const header = { name: 'Next', url: '/next', headers: { 'X-Id': '{{id}}' } }
    const capture = { ...LOGIN, captures: [{ name: 'id', json_path: '$' }] }
    expect((await check([capture, header])).outcome).toBe('up')
    const broken = defineCheck('steps', url, { steps: [header] }, { credentials: { id: 'a\r\nX-Evil: 1' } as never })
    expect((await prober.check(broken)).error?.message).toContain('a value for the header X-Id has a character')
    expect(seen).toHaveLength(2)
  })

  it('holds the rules for addresses in each step', async () => {
    const guarded = createProber({ allowPrivateTargets: ['127.0.0.1/32'] })
    const result = await guarded.check(
      defineCheck('steps', url, { steps: [LOGIN, { name: 'Inside', url: 'http://127.0.0.2/' }] }, { credentials }),
    )
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'blocked' } })
    guarded.close()
  })
})

describe('steps are refused', () => {
  const faultsOf = (steps: unknown, given: object = credentials) =>
    validateDefinition({ type: 'steps', url, options: { steps }, credentials: given as Record<string, string> }).map(
      ({ path }) => path,
    )
  const one = (own: object) => [{ name: 'Step', url: '/', ...own }]

  test('not if they are valid', () => {
    expect(faultsOf([LOGIN, { name: 'Next', url: '/{{id}}', headers: { Authorization: 'Bearer {{session}}' } }])).toEqual([])
    expect(checkKindSpec('steps')?.options['steps']?.form).toBe('own')
  })

  test.each<[string, unknown, string]>([
    ['that are absent', undefined, 'options.steps'],
    ['that are none', [], 'options.steps'],
    ['that are no list', {}, 'options.steps'],
    ['that are more than 10', Array.from({ length: 11 }, () => LOGIN), 'options.steps'],
    ['that are no objects', ['x'], 'options.steps.0'],
    ['without a name', [{ url: '/' }], 'options.steps.0.name'],
    ['with a URL of another protocol', one({ url: 'ftp://a/' }), 'options.steps.0.url'],
    ['with a user in the URL', one({ url: 'http://a@b/' }), 'options.steps.0.url'],
    ['with an unknown field', one({ retries: 3 }), 'options.steps.0.retries'],
    ['with an unknown method', one({ method: 'BREW' }), 'options.steps.0.method'],
    ['with a body of GET', one({ body: 'x' }), 'options.steps.0.body'],
    ['with headers that are no texts', one({ headers: { a: 1 } }), 'options.steps.0.headers'],
    ['with a header of the connection', one({ headers: { Host: 'a b' } }), 'options.steps.0.headers.Host'],
    ['with a secret in a header', one({ headers: { Authorization: 'Bearer abc' } }), 'options.steps.0.headers.Authorization'],
    ['with a value that nothing captures', one({ url: '/{{x}}' }), 'options.steps.0.url'],
    ['with a value that a later step captures', [{ name: 'a', url: '/{{session}}' }, LOGIN], 'options.steps.0.url'],
    ['with a credential that is not set', one({ body: '{{token}}', method: 'POST' }), 'options.steps.0.body'],
    ['with assertions that are no list', one({ assertions: {} }), 'options.steps.0.assertions'],
    ['with an assertion of no form', one({ assertions: [{ type: 1 }] }), 'options.steps.0.assertions.0'],
    [
      'with an assertion of another kind',
      one({ assertions: [{ type: 'packet_loss', operator: 'less_than', value: 1 }] }),
      'options.steps.0.assertions.0.type',
    ],
    [
      'with too many captures',
      one({ captures: Array.from({ length: 11 }, () => ({ name: 'a', header: 'b' })) }),
      'options.steps.0.captures',
    ],
    ['with a capture of nothing', one({ captures: [{ name: 'a' }] }), 'options.steps.0.captures.0'],
    [
      'with a capture of two things',
      one({ captures: [{ name: 'a', header: 'b', json_path: '$' }] }),
      'options.steps.0.captures.0',
    ],
    ['with a name that is none', one({ captures: [{ name: 'A-b', header: 'b' }] }), 'options.steps.0.captures.0.name'],
  ])('%s', (_, steps, path) => expect(faultsOf(steps)).toEqual([path]))

  test('with patterns and paths that cannot be compiled, whatever else they are', () => {
    const matches = { type: 'body', operator: 'matches', value: '(' }
    const faults = patternFaultsOfSteps({ steps: [null, { assertions: [matches], captures: [{ json_path: '$[' }, null] }, 'x'] })
    expect(faults.map(({ path }) => path)).toEqual(['options.steps.1.assertions.0.value', 'options.steps.1.captures.0.json_path'])
    expect(patternFaultsOfSteps({ steps: 'x' })).toEqual([])
  })
})
