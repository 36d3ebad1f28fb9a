import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { CHECK_TYPES, type CheckDefinition, MASK } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { freePort } from '../../../../../scripts/test-tools.ts'
import { startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { systemClock } from '../../../platform/time/clock.ts'
import { keepCheckPartitions } from '../results/partitions.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { createProber } from '../probe/index.ts'
import type * as kinds from '../probe/kinds/index.ts'
import { answerOf, startAnswering, startTarget, type Target } from '../probe/test/targets.ts'
import { ensureRegion } from '../../regions/index.ts'
import { startTestWorker, until } from './workers.ts'

// The one line of each registry. Everything else of Vedette stays as it is.
vi.mock('../probe/kinds/index.ts', async (importOriginal) => {
  const { CHECK_KINDS } = await importOriginal<typeof kinds>()
  const { greeting } = await import('./greeting-kind.ts')
  return { CHECK_KINDS: [...CHECK_KINDS, greeting] }
})
vi.mock('../../../../../shared/src/monitoring/checks/kinds/index.ts', async (importOriginal) => {
  const descriptions = await importOriginal<{ CHECK_TYPES: object }>()
  const { greetingSpec } = await import('./greeting-kind.ts')
  Object.assign(descriptions.CHECK_TYPES, { greeting: greetingSpec })
  return descriptions
})

const prober = createProber({ allowPrivateTargets: 'all' })
let backend: TestBackend
let as: { 'x-api-key': string }
let organization: TestOrganization
let greeter: Target
let url: string
beforeAll(async () => {
  backend = await startTestBackend({ startMs: Date.now(), prober })
  await keepCheckPartitions(backend.pool.db, silentLog, Date.now())
  organization = await backend.organization()
  as = await backend.apiKey(organization, 'write', 'read')
  // On a port that nobody else gets once it is closed.
  greeter = await startTarget((socket) => void socket.write('220 mail.test ESMTP\r\n'), '127.0.0.1', await freePort())
  url = `greeting://127.0.0.1:${greeter.port}`
})
afterAll(async () => {
  prober.close()
  await greeter.close()
  await backend.close()
})

const type = 'greeting'
const greets = { type: 'body', operator: 'contains', value: 'ESMTP' } as const
const post = (path: string, body: object) => backend.call('POST', path, { as, body: { name: 'mail', ...body } })

describe('a further kind of check, which is a description, a file and a line in each registry', () => {
  it('is published next to the first one', () => {
    const { components } = backend.vedette.app.swagger() as unknown as {
      components: { schemas: Record<string, { enum?: string[] }> }
    }
    expect(components.schemas['CheckType']?.enum).toEqual(Object.keys(CHECK_TYPES))
    expect(components.schemas['CheckType']?.enum).toContain('greeting')
  })

  it.each([
    ['a type that nobody registered', { type: 'quic', url: 'udp://127.0.0.1:53' }, 'type'],
    ['the URL of another kind', { url: 'http://127.0.0.1/' }, 'url'],
    ['its URL for another kind', { type: 'http', url: 'greeting://127.0.0.1:25' }, 'url'],
    ['a URL without a host', { url: 'greeting:///x' }, 'url'],
    ['credentials in its URL', { url: 'greeting://a:b@127.0.0.1:25' }, 'url'],
    ['a URL that its own rule refuses', { url: 'greeting://127.0.0.1' }, 'url'],
    ['a field of HTTP', { method: 'GET' }, 'method'],
    ['another field of HTTP', { verify_tls: true }, 'verify_tls'],
    ['an option that it does not have', { options: { least: 1 } }, 'options.least'],
    ['an option out of its bounds', { options: { most: 1_001 } }, 'options.most'],
    ['an option of another form', { options: { most: '100' } }, 'options.most'],
    ['a credential that it does not have', { credentials: { user: 'a' } }, 'credentials.user'],
    ['a credential that is too long', { credentials: { password: 'p'.repeat(101) } }, 'credentials.password'],
    ['a masked credential that nothing stands for', { credentials: { password: MASK } }, 'credentials.password'],
    ['an assertion of HTTP', { assertions: [{ type: 'status_code', operator: 'equals', value: 200 }] }, 'assertions.0.type'],
    ['options for a kind without any', { type: 'http', url: 'http://127.0.0.1/', options: { most: 1 } }, 'options.most'],
  ])('is refused with %s', async (_, body, path) => {
    const answer = await post('/v1/monitors', { type: 'greeting', url, ...body })
    expect(answer.status).toBe(400)
    expect(answer.body.error.details.map((detail: { path: string }) => detail.path)).toEqual([path])
  })

  it('can be tested without being stored', async () => {
    expect((await post('/v1/monitors/test', { type, url, assertions: [greets] })).body).toMatchObject({
      outcome: 'up',
      address: '127.0.0.1',
      status_code: null,
      facts: { length: 21 },
    })
    const other = { ...greets, value: 'IMAP' }
    expect((await post('/v1/monitors/test', { type, url, assertions: [other] })).body).toMatchObject({
      outcome: 'down',
      error: { code: 'assertion' },
    })
    const slow = { type: 'response_time', operator: 'less_than', value: 0 }
    expect((await post('/v1/monitors/test', { type, url, assertions: [slow] })).body.outcome).toBe('degraded')
    const long = { type: 'length', operator: 'greater_than', value: 21 }
    expect((await post('/v1/monitors/test', { type, url, assertions: [long] })).body).toMatchObject({
      outcome: 'down',
      error: { code: 'assertion', message: 'Length 21 characters (expected above 21 characters)' },
    })
    const short = await post('/v1/monitors/test', { type, url, options: { most: 4 }, assertions: [long] })
    expect(short.body.facts).toEqual({ length: 4 })
  })

  it('is created, checked and evaluated, and its monitor goes down', async () => {
    const made = await post('/v1/monitors', {
      type,
      url,
      assertions: [greets],
      interval: 10,
      timeout: 2,
      confirmations: 1,
    })
    expect([made.status, made.body.type, made.body.status]).toEqual([201, type, 'up'])
    expect([made.body.options, made.body.credentials]).toEqual([{ most: 100 }, {}])
    expect(Object.keys(made.body)).not.toContain('method')
    const region = await ensureRegion(backend.pool.db, { id: 'local', name: 'local' }, new Date())
    const worker = startTestWorker(backend, region, {
      check: async (definition: CheckDefinition, startAtMs: number) => {
        if (startAtMs > Date.now()) await systemClock.sleep(startAtMs - Date.now())
        return prober.check(definition)
      },
    })
    const read = async () => (await backend.call('GET', `/v1/monitors/${made.body.id}`, { as })).body
    await until(async () => (await read()).recent_checks.length === 1)
    expect((await read()).recent_checks[0]).toMatchObject({
      outcome: 'up',
      status_code: null,
      error: null,
      facts: { length: 21 },
    })
    await greeter.close()
    // A change is checked at once, the next slot of the interval is ten seconds away.
    const changed = await backend.call('PATCH', `/v1/monitors/${made.body.id}`, { as, body: { assertions: [] } })
    expect(changed.status).toBe(200)
    await until(async () => (await read()).status === 'down')
    expect((await read()).recent_checks[0]).toMatchObject({ outcome: 'down', error: { code: 'connect' } })
    await worker.stop()
    const { transitions } = (await backend.call('GET', `/v1/monitors/${made.body.id}/transitions`, { as })).body
    expect(transitions).toMatchObject([{ from_status: 'up', to_status: 'down', reason: expect.stringContaining('refused') }])
  })

  it('does not change the first one', async () => {
    const page = await startAnswering(answerOf('here'))
    expect((await post('/v1/monitors/test', { url: page.url })).body).toMatchObject({ outcome: 'up', status_code: 200 })
    await page.close()
  })
})

/** Sources that match, without tests and the page, whose editor lists each type. */
function filesThatName(what: RegExp): string[] {
  const root = join(import.meta.dirname, '../../../../..')
  return ['shared/src', 'backend/src', 'client/src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.test.ts'))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      .filter((path) => !path.includes('/test/') && what.test(readFileSync(join(root, path), 'utf8'))),
  )
}

describe('the type of a monitor', () => {
  it('can be changed, and the fields of the old one go', async () => {
    const made = (await post('/v1/monitors', { url: 'http://127.0.0.1/', headers: { a: 'b' }, verify_tls: false })).body
    const path = `/v1/monitors/${made.id}`
    const change = (body: object) => backend.call('PATCH', path, { as, body })
    expect((await change({ type })).body.error.details.map((detail: { path: string }) => detail.path)).toEqual(['url'])
    const changed = await change({ type, url: 'greeting://127.0.0.1:1', credentials: { password: 'secret1' } })
    expect([changed.status, changed.body.type, changed.body.options, changed.body.headers]).toEqual([
      200,
      type,
      { most: 100 },
      undefined,
    ])
    const kept = await change({ credentials: { password: MASK }, options: { most: 5 } })
    expect([kept.body.credentials, kept.body.options]).toEqual([{ password: MASK }, { most: 5 }])
    const reader = await backend.apiKey(organization, 'read')
    expect((await backend.call('GET', path, { as: reader })).body.credentials).toEqual({ password: MASK })
    const back = await change({ type: 'http', url: 'http://127.0.0.1/' })
    expect([back.status, back.body.method, back.body.verify_tls, back.body.options]).toEqual([200, 'GET', true, {}])
  })
})

describe('a type of assertion', () => {
  it.each([
    ['response-time', /\bresponse_time\b|response-time\.ts|\bresponseTime\b/],
    ['certificate-expiry', /\bcertificate_expiry\b|certificate-expiry\.ts|\bcertificateExpiry\b/],
    [
      'status-code',
      /'status_code'|status_code: (?:\{|statusCode,)|const statusCode: AssertionEvaluator|from '\.\/status-code\.ts'/m,
    ],
  ])('is known to three files: its entry in the table, its evaluator, its line in the registry (%s)', (name, what) => {
    const evaluators = 'backend/src/monitoring/checks/evaluation/assertions'
    expect(filesThatName(what).toSorted()).toEqual(
      [`${evaluators}/${name}.ts`, `${evaluators}/index.ts`, 'shared/src/monitoring/checks/common-assertions.ts'].toSorted(),
    )
  })
})
