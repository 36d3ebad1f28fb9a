import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { MAX_PUSH_BYTES } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findTool, freePort, isMissing } from '../../../scripts/test-tools.ts'
import { registration } from '../harness.ts'
import { waitPastBoundary } from '../time-boundary.ts'
import { makeAuthority } from './certificates.ts'
import { callHttps } from './https.ts'
import { ADMIN, makeWorkbench, REPOSITORY, type RunningVedette, until } from './workbench.ts'

const READS_A_MINUTE = 5

/** The recipe as an operator fills it in, and around it what Debian's nginx.conf has around it. */
function fillIn(folder: string, replacements: Record<string, string>): string {
  const recipe = readFileSync(join(REPOSITORY, 'docs/recipes/nginx.conf'), 'utf8')
  const filled = Object.entries(replacements).reduce((text, [placeholder, value]) => {
    if (!text.includes(placeholder)) throw new Error(`the recipe does not say ${placeholder}`)
    return text.replaceAll(placeholder, value)
  }, recipe)
  writeFileSync(join(folder, 'site.conf'), filled)
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const tempPaths = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')
  const around = `daemon off; pid ${folder}/nginx.pid; worker_processes 1; events { worker_connections 64; }
    http { access_log off; ${tempPaths} include ${folder}/site.conf; }\n`
  writeFileSync(join(folder, 'nginx.conf'), around)
  return join(folder, 'nginx.conf')
}

describe.skipIf(isMissing('nginx', 'openssl'))('behind the nginx of docs/recipes', () => {
  const bench = makeWorkbench()
  const folder = bench.makeFolder()
  let url: string
  let plainUrl: string
  let caFile: string
  let vedette: RunningVedette
  let token: string
  beforeAll(async () => {
    const authority = makeAuthority(folder)
    caFile = authority.caFile
    const [port, plainPort, backendPort] = [await freePort(), await freePort(), await freePort()]
    url = `https://localhost:${port}`
    plainUrl = `http://localhost:${plainPort}`
    const keyFile = join(folder, 'agent.key')
    const environment = {
      ...ADMIN,
      VEDETTE_PORT: String(backendPort),
      VEDETTE_TRUST_PROXY: '1',
      VEDETTE_PUBLIC_URL: url,
      VEDETTE_LOCAL_AGENT: 'off',
      VEDETTE_RATE_LIMITS: `read=${READS_A_MINUTE}`,
      VEDETTE_BOOTSTRAP_API_KEY_FILE: keyFile,
    }
    vedette = await bench.start({ dataDir: join(folder, 'data'), environment })
    const config = fillIn(folder, {
      'listen 80;': `listen ${plainPort};`,
      'listen 443 ssl;': `listen ${port} ssl;`,
      'server 127.0.0.1:8080;': `server 127.0.0.1:${backendPort};`,
      'server_name vedette.example.com;': 'server_name localhost;',
      '/etc/ssl/vedette/fullchain.pem': authority.certFile,
      '/etc/ssl/vedette/privkey.pem': authority.keyFile,
    })
    bench.run([findTool('nginx') ?? '', '-e', 'stderr', '-p', folder, '-c', config])
    await until(async () => (await call('GET', '/readyz').catch(() => undefined))?.status === 200, 30_000)
    const key = await until(() => existsSync(keyFile) && readFileSync(keyFile, 'utf8').trim(), 30_000)
    const body = JSON.stringify(registration('behind a proxy'))
    token = (await call('POST', '/v1/agent/register', { headers: { 'x-api-key': key }, body })).body.token
  })
  afterAll(() => bench.cleanUp())

  const call = (method: string, path: string, options = {}) => callHttps(url, caFile, method, path, options)
  const push = (body: string | Buffer, headers = {}) =>
    call('POST', '/v1/agent/metrics', { headers: { 'x-api-key': token, ...headers }, body })
  const batch = (more = {}) => {
    const at = new Date().toISOString()
    const samples = [{ at, cpu: { percent: 5 } }]
    return JSON.stringify({ batch_id: randomUUID(), sent_at: at, agent_version: '0.1.0', samples, ...more })
  }

  test('is named by the public URL, and leads there from plain HTTP [START-22, START-32]', async () => {
    expect(vedette.url).toBe(url)
    const plain = await fetch(`${plainUrl}/v1/servers?page=2`, { redirect: 'manual' })
    expect([plain.status, plain.headers.get('location')]).toEqual([308, 'https://localhost/v1/servers?page=2'])
    const page = await call('GET', '/')
    expect([page.status, page.headers['strict-transport-security']]).toEqual([200, 'max-age=31536000'])
  })

  // Other systems have one loopback address only.
  test.runIf(process.platform === 'linux')(
    'holds each address to its limit, whatever X-Forwarded-For it claims [LIMIT-18, START-22]',
    async () => {
      // The limits count by the minute of the clock.
      await waitPastBoundary(60_000, 10_000)
      const read = async (localAddress: string, headers = {}) => {
        const { status, headers: answered } = await call('GET', '/v1/setup', { localAddress, headers })
        return [status, Number(answered['x-ratelimit-remaining'])]
      }
      for (let left = READS_A_MINUTE - 1; left >= 0; left -= 1) expect(await read('127.0.0.2')).toEqual([200, left])
      expect(await read('127.0.0.2')).toEqual([429, 0])
      for (const claimed of ['203.0.113.9', '127.0.0.3', '203.0.113.9, 127.0.0.3'])
        expect(await read('127.0.0.2', { 'x-forwarded-for': claimed })).toEqual([429, 0])
      // Another one has its own, and cannot use up a third one's.
      expect(await read('127.0.0.3', { 'x-forwarded-for': '127.0.0.4' })).toEqual([200, READS_A_MINUTE - 1])
      expect(await read('127.0.0.4')).toEqual([200, READS_A_MINUTE - 1])
    },
  )

  test('keeps devices signed in, by a cookie for HTTPS alone', async () => {
    const body = JSON.stringify({ email: ADMIN.VEDETTE_ADMIN_EMAIL, password: ADMIN.VEDETTE_ADMIN_PASSWORD, remember: true })
    const signedIn = await call('POST', '/v1/auth/login', { body })
    const cookie = String(signedIn.headers['set-cookie'])
    expect(cookie).toMatch(/^vedette_refresh=.*; Secure$/)
    // As an older browser, which says no more than this.
    const headers = { cookie: cookie.split(';')[0], origin: url, 'x-requested-with': 'vedette' }
    expect(await call('POST', '/v1/auth/refresh', { headers })).toMatchObject({ status: 200 })
    const foreign = { ...headers, origin: 'https://other.example.com' }
    expect(await call('POST', '/v1/auth/refresh', { headers: foreign })).toMatchObject({ status: 403 })
  })

  test('lets pushes through as they are: gzip, and bodies of 1 MiB [PUSH-12, PUSH-13, START-22]', async () => {
    expect((await push(gzipSync(batch()), { 'content-encoding': 'gzip' })).body).toMatchObject({ accepted: 1 })
    const padded = (bytes: number) => batch({ padding: 'x'.repeat(bytes - Buffer.byteLength(batch({ padding: '' }))) })
    expect(await push(padded(MAX_PUSH_BYTES))).toMatchObject({ status: 202, body: { accepted: 1 } })
    const tooLarge = await push(padded(MAX_PUSH_BYTES + 1))
    expect(tooLarge).toMatchObject({ status: 413, body: { error: { code: 'payload_too_large' } } })
  })

  test('leaves refusals to the backend: its envelope, its request id [START-22]', async () => {
    const long = await call('GET', `/v1/servers?q=${'x'.repeat(9_000)}`)
    expect(long).toMatchObject({
      status: 414,
      body: { error: { code: 'uri_too_long', request_id: long.headers['x-request-id'] } },
    })
    const heavy = await call('GET', '/v1/setup', { headers: { 'x-stuff': 'x'.repeat(20_000) } })
    expect(heavy).toMatchObject({ status: 431, body: { error: { code: 'headers_too_large' } } })
  })
})
