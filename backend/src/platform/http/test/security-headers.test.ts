import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isMissing } from '../../../../../scripts/test-tools.ts'
import { makeAuthority } from '../../../../test/e2e/certificates.ts'
import { createFakeClock } from '../../../../test/fake-clock.ts'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { silentLog } from '../../logging/log.ts'
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
      expect(policy).toMatch(/^default-src 'none'/)
      expect(policy).toMatch(/frame-ancestors '(none|self)'/)
      expect(policy).not.toMatch(/https?:|validator|unsafe|\*/)
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
  const request = (url: string, encoding = 'identity') => backend.call('GET', url, { headers: { 'accept-encoding': encoding } })

  it('are served plain or in the compressed form of the build, by the Accept-Encoding of the browser', async () => {
    for (const encoding of ['br', 'gzip']) {
      const { headers } = await request('/monitors', encoding)
      expect(headers).toMatchObject({ 'content-encoding': encoding, 'content-type': expect.stringMatching(/^text\/html/) })
    }
    expect((await request('/')).headers).not.toHaveProperty('content-encoding')
  })

  it('are cached for a year where their name contains a digest, and revalidated otherwise', async () => {
    const page = String((await request('/')).body)
    const script = /src="(\/assets\/[^"]+)"/.exec(page)?.[1] ?? ''
    expect((await request(script, 'br')).headers['cache-control']).toMatch(/max-age=31536000.*immutable/)
    for (const url of ['/', '/servers', '/theme.js']) expect((await request(url)).headers['cache-control'], url).toBe('no-cache')
  })

  it.each(['/.vite/manifest.json', '/.sources', '/index.html.br', '/serverside', '/assets/none.js'])(
    '%s is not among them',
    async (url) => {
      expect((await request(url)).status).toBe(404)
    },
  )

  it('are the answer to a browser that opens an unknown address, with the status 404', async () => {
    const open = (url: string) => backend.call('GET', url, { headers: { accept: 'text/html,*/*;q=0.8' } })
    const [known, unknown] = [await open('/servers'), await open('/no/such/page')]
    expect([unknown.status, unknown.body]).toEqual([404, known.body])
    expect(unknown.headers['content-type']).toMatch(/^text\/html/)
    for (const name of ['content-security-policy', 'x-content-type-options', 'referrer-policy', 'x-frame-options'])
      expect(unknown.headers[name], name).toBe(known.headers[name])
    expect((await open('/v1/no-such-thing')).headers['content-type']).toMatch(/^application\/json/)
  })
})

describe.skipIf(isMissing('openssl'))('over HTTPS', () => {
  it('pages and error responses instruct browsers to use HTTPS only', async () => {
    const clock = createFakeClock(0)
    const limiter = createUnlimited(
      { auth: 1, read: 1, write: 1, agent: 1, probe: 1, ping: 1, scrape: 1, query: 1, page: 1, dashboard: 1, check: 1 },
      clock,
    )
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
