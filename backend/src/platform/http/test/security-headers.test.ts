import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lacks } from '../../../../../scripts/test-tools.ts'
import { makeAuthority } from '../../../../test/e2e/certificates.ts'
import { createFakeClock } from '../../../../test/fake-clock.ts'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { silentLog } from '../../log.ts'
import { createUnlimited } from '../rate-limit.ts'
import { createServer } from '../server.ts'

const GUARDING = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
}

describe('every answer', () => {
  let backend: TestBackend
  let owner: Credentials
  beforeAll(async () => {
    backend = await startTestBackend()
    owner = await backend.member(await backend.organization(), 'owner')
  })
  afterAll(() => backend.close())

  it.each([
    ['GET', '/v1/servers', 200],
    ['HEAD', '/v1/servers', 200],
    ['POST', '/v1/organizations', 400],
    ['GET', '/v1/servers/nobody', 404],
    ['GET', '/%76%31/servers', 200],
    ['PUT', '/v1/servers', 405],
    ['GET', '/v1/nothing', 404],
    ['GET', '/v1/%zz', 400],
    ['GET', `/v1/servers?q=${'x'.repeat(9_000)}`, 414],
  ])('%s %s is nosniff, kept by nobody, framed by nobody', async (method, url, status) => {
    const answer = await backend.call(method, url, { as: owner })
    expect(answer.status).toBe(status)
    expect(answer.headers).toMatchObject({ ...GUARDING, 'cache-control': 'no-store' })
    expect(answer.headers).not.toHaveProperty('strict-transport-security')
    expect(answer.headers).not.toHaveProperty('x-powered-by')
    expect(answer.headers).not.toHaveProperty('server')
  })

  it.each(['/healthz', '/readyz', '/openapi.json', '/nothing', '/%'])('so is %s, but for the keeping', async (url) => {
    expect((await backend.call('GET', url)).headers).toMatchObject(GUARDING)
  })

  it.each(['/', '/icon.svg', '/docs/', '/servers/srv_1?range=1h', '/settings', '/password-reset'])(
    'the page %s runs scripts of its own only',
    async (url) => {
      const { status, headers } = await backend.call('GET', url)
      expect([status, headers['x-content-type-options']]).toEqual([200, 'nosniff'])
      const policy = String(headers['content-security-policy'])
      expect(/script-src ([^;]*)/.exec(policy)?.[1]).toMatch(/^'self'( 'sha256-[\w+/=]+')* ?$/)
      expect(policy).toMatch(/frame-ancestors '(none|self)'/)
      expect(headers).not.toHaveProperty('strict-transport-security')
    },
  )
})

describe('the files of the page', () => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await startTestBackend()
  })
  afterAll(() => backend.close())
  const ask = (url: string, encoding = 'identity') => backend.call('GET', url, { headers: { 'accept-encoding': encoding } })

  it('come as they are or as the build compressed them, as the browser takes them', async () => {
    for (const encoding of ['br', 'gzip']) {
      const { headers } = await ask('/monitors', encoding)
      expect(headers).toMatchObject({ 'content-encoding': encoding, 'content-type': expect.stringMatching(/^text\/html/) })
    }
    expect((await ask('/')).headers).not.toHaveProperty('content-encoding')
  })

  it('are kept for a year where their name holds a digest, and asked for anew elsewhere', async () => {
    const page = String((await ask('/')).body)
    const script = /src="(\/assets\/[^"]+)"/.exec(page)?.[1] ?? ''
    expect((await ask(script, 'br')).headers['cache-control']).toMatch(/max-age=31536000.*immutable/)
    for (const url of ['/', '/servers', '/theme.js']) expect((await ask(url)).headers['cache-control'], url).toBe('no-cache')
  })

  it.each(['/.vite/manifest.json', '/.sources', '/index.html.br', '/serverside', '/assets/none.js'])(
    '%s is not among them',
    async (url) => {
      expect((await ask(url)).status).toBe(404)
    },
  )
})

describe.skipIf(lacks('openssl'))('over HTTPS', () => {
  it('browsers are told to come back by HTTPS only, on pages and in refusals', async () => {
    const clock = createFakeClock(0)
    const limiter = createUnlimited({ auth: 1, read: 1, write: 1, agent: 1, probe: 1 }, clock)
    const folder = mkdtempSync(join(tmpdir(), 'vedette-headers-'))
    const { certFile, keyFile } = makeAuthority(folder)
    const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile) }
    rmSync(folder, { recursive: true })
    const app = createServer({ log: silentLog, clock, limiter, trustedProxies: 0, tls, schemas: [] })
    app.get('/page', { schema: { response: { 200: Type.Object({}) } } }, async () => ({}))
    for (const url of ['/page', '/nothing', '/%zz']) {
      const { headers } = await app.inject({ method: 'GET', url })
      expect(headers['strict-transport-security'], url).toBe('max-age=31536000')
    }
    await app.close()
  })
})
