import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SCHEMAS } from '../src/operating/openapi/index.ts'
import { createValidatorCompiler } from '../src/platform/http/validation.ts'
import { toDetails } from '../src/platform/http/validation-messages.ts'
import { leavesOf, type Schema, withValue } from './fuzz/schema-arbitrary.ts'
import { type Credentials, startTestBackend, type TestBackend } from './harness.ts'

let backend: TestBackend
let as: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  as = await backend.member(await backend.organization(), 'owner')
})
afterAll(() => backend.close())

const monitor = { name: 'Shop', url: 'https://example.com/' }
const rule = { name: 'rule', target: { type: 'monitor' }, condition: { metric: 'status', operator: 'equals', value: 'down' } }

describe('a refused request says of each fault the bound, the unit and what was sent', () => {
  it.each<[string, unknown, Record<string, string>]>([
    ['POST /v1/monitors', { ...monitor, timeout: 5000 }, { timeout: 'must be at most 60 seconds (sent 5000)' }],
    ['POST /v1/monitors', { ...monitor, interval: 1 }, { interval: 'must be at least 10 seconds (sent 1)' }],
    ['POST /v1/monitors', { ...monitor, interval: '60' }, { interval: 'must be a whole number (sent a text)' }],
    ['POST /v1/monitors', { ...monitor, interval: 60.5 }, { interval: 'must be a whole number (sent 60.5)' }],
    ['POST /v1/monitors', { ...monitor, name: '' }, { name: 'must not be empty' }],
    [
      'POST /v1/monitors',
      { ...monitor, name: ' \u00a0\u200b' },
      { name: 'must be a text with at least one visible character (sent " \u00a0\u200b")' },
    ],
    ['POST /v1/monitors', { ...monitor, name: '\u{1f680}'.repeat(201) }, { name: 'must have at most 200 characters (sent 201)' }],
    ['POST /v1/monitors', { ...monitor, regions: [] }, { regions: 'must not be empty' }],
    ['POST /v1/monitors', { ...monitor, tags: ['a', 'a'] }, { tags: 'must not repeat an item: 0 equals 1' }],
    [
      'POST /v1/monitors',
      { ...monitor, method: 'TRACE' },
      { method: 'must be one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS (sent "TRACE")' },
    ],
    ['POST /v1/monitors', { ...monitor, headers: { authorization: 7 } }, { 'headers.authorization': 'must be a text (sent 7)' }],
    [
      'POST /v1/monitors',
      { timeout: 0, confirmations: 11, colour: 'red', verify_tls: 'yes' },
      {
        name: 'is required',
        url: 'is required',
        colour: 'is unknown',
        timeout: 'must be at least 1 second (sent 0)',
        verify_tls: 'must be true or false (sent a text)',
        confirmations: 'must be at most 10 (sent 11)',
      },
    ],
    ['POST /v1/monitors', [], { '': 'must be an object (sent a list)' }],
    ['POST /v1/alert-rules', { ...rule, for_seconds: 86_401 }, { for_seconds: 'must be at most 86400 seconds (sent 86401)' }],
    ['POST /v1/alert-rules', { ...rule, repeat_seconds: 1 }, { repeat_seconds: 'must be at least 60 seconds (sent 1)' }],
    [
      'POST /v1/alert-rules',
      { ...rule, severity: 'x'.repeat(99) },
      { severity: `must be one of info, warning, critical (sent "${'x'.repeat(40)}…")` },
    ],
    ['POST /v1/alert-rules', { ...rule, target: null }, { target: 'must be an object (sent null)' }],
    [
      'POST /v1/api-keys',
      { name: 'k', scopes: ['root'], expires_at: 'soon' },
      {
        'scopes.0': 'must be one of read, write, admin, agent, ingest (sent "root")',
        expires_at: 'must be an instant such as 2026-11-20T18:00:00.000Z (sent "soon")',
      },
    ],
    [
      'POST /v1/auth/password',
      { current_password: ['hunter22'], new_password: 'short' },
      { current_password: 'must be a text (sent a list)', new_password: 'must have at least 12 characters (sent 5)' },
    ],
    ['POST /v1/auth/password', { current_password: 'hunter22', new_password: 7 }, { new_password: 'must be a text (sent 7)' }],
    [
      'GET /v1/servers?include=cpu',
      undefined,
      { include: 'must be metrics, sparkline, counts or health, or several of them separated by commas (sent "cpu")' },
    ],
    [
      'GET /v1/servers?limit=101&page=0x1&colour=red',
      undefined,
      {
        page: 'must be a whole number in decimal digits (sent "0x1")',
        limit: 'must be at most 100 (sent 101)',
        colour: 'is unknown',
      },
    ],
    ['GET /v1/audit-events?action=Server', undefined, { action: 'must be an action such as server.deleted (sent "Server")' }],
  ])('%s with %j', async (operation, body, expected) => {
    const [method = '', url = ''] = operation.split(' ')
    const answer = await backend.call(method, url, { as, ...(body !== undefined && { body }) })
    const { message, details } = answer.body.error
    expect(answer.status).toBe(400)
    expect(Object.fromEntries(details.map((one: { path: string; message: string }) => [one.path, one.message]))).toEqual(expected)
    const [first] = details
    const where = method === 'GET' ? 'query parameter ' : ''
    expect(message).toBe(first.path ? `${where}${first.path}: ${first.message}` : first.message)
  })

  it('names at most 20 faults, and of a large body one', async () => {
    const faults = async (count: number) => {
      const body = Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, index]))
      return (await backend.call('POST', '/v1/monitors', { as, body })).body.error.details.length
    }
    expect([await faults(19), await faults(50), await faults(1_998), await faults(2_000)]).toEqual([20, 20, 20, 1])
  })
})

/** Of every body that people send: agents and probes are programs. */
const bodies = (SCHEMAS as unknown as (Schema & { $id: string })[]).filter(
  ({ $id }) => $id.endsWith('Body') && !/^(Push|Probe|Claims)/.test($id),
)
const components = Object.fromEntries((SCHEMAS as unknown as (Schema & { $id: string })[]).map((schema) => [schema.$id, schema]))
/** As the description publishes references. */
const published = (schema: unknown): Schema =>
  JSON.parse(JSON.stringify(schema).replaceAll(/"\$ref":"(\w+)#"/g, '"$ref":"#/components/schemas/$1"')) as Schema
const parts = Object.fromEntries(Object.entries(components).map(([name, schema]) => [name, published(schema)]))
const bounded = bodies.flatMap((body) =>
  leavesOf(published(body), { components: parts })
    .filter(({ schema }) => !schema.enum && (schema.maximum !== undefined || schema.maxLength !== undefined))
    .map(({ path, schema }) => [`${body.$id} ${path.join('.')}`, body, path, schema as Schema & { 'x-unit'?: string }] as const),
)

describe('each bounded field of a body, one beyond its bound', () => {
  it('is more than 60 fields', () => expect(bounded.length).toBeGreaterThan(60))

  it.each(bounded)('%s is refused with its name once, the bound and the unit', (_, body, path, schema) => {
    const validate = createValidatorCompiler(SCHEMAS)({ schema: body as never, method: 'POST', url: '/', httpPart: 'body' }) as ((
      data: unknown,
    ) => boolean) & { errors: Parameters<typeof toDetails>[0] }
    const isNumber = schema.maximum !== undefined
    const bound = isNumber ? schema.maximum : schema.maxLength
    const value = isNumber ? Math.max((bound ?? 0) * (1 + Number.EPSILON), (bound ?? 0) + 1) : 'x'.repeat((bound ?? 0) + 1)
    expect(validate(withValue({}, path, value))).toBe(false)
    const name = path.join('.')
    const detail = toDetails(validate.errors).find((one) => one.path === name)
    expect(detail?.message).toContain(` ${bound} `)
    // The name `at` is also a word of the message, which says "at most".
    const parts = name === 'at' ? 3 : 2
    expect(`${detail?.path}: ${detail?.message}`.split(new RegExp(`\\b${name}\\b`))).toHaveLength(parts)
    const unit = isNumber ? (schema['x-unit'] ?? /(seconds|bytes|days|minutes|cores)$/.exec(name)?.[1]) : 'character'
    expect(detail?.message).toContain(unit ?? '')
  })
})
