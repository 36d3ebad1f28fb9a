import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { chooseEncoding } from '../compression.ts'

it.each([
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['br;q=0, gzip;q=0', undefined],
  ['*', 'br'],
  ['*;q=0.1, identity', undefined],
  ['BR;Q=1', 'br'],
  ['gzip;q=x', undefined],
])('the Accept-Encoding %j chooses %s', (accepted, encoding) => expect(chooseEncoding(accepted)).toBe(encoding))

describe('answers of the API', () => {
  let backend: TestBackend
  let owner: Credentials
  beforeAll(async () => {
    backend = await startTestBackend({ environment: { VEDETTE_CORS_ORIGINS: 'https://app.example.com' } })
    owner = await backend.member(await backend.organization(), 'owner')
    const create = Array.from({ length: 30 }, (_, index) => ({ name: `Shop ${index}`, url: `https://example.com/${index}` }))
    await backend.call('POST', '/v1/monitors/bulk', { as: owner, body: { create } })
  })
  afterAll(() => backend.close())
  const inject = (method: 'GET' | 'HEAD' | 'POST', url: string, encoding: string, as = owner, payload?: object) =>
    backend.vedette.app.inject({
      method,
      url,
      headers: {
        ...('authorization' in as ? { authorization: as['authorization'] } : as),
        'accept-encoding': encoding,
      } as Record<string, string>,
      ...(payload && { payload }),
    })

  it.each(['/v1/monitors', '/openapi.json'])('%s is sent as the client accepts it, and is the same', async (url) => {
    const plain = await inject('GET', url, 'identity')
    const [br, gzip] = [await inject('GET', url, 'gzip, br'), await inject('GET', url, 'gzip')]
    expect([plain, br, gzip].map(({ headers }) => headers['content-encoding'])).toEqual([undefined, 'br', 'gzip'])
    for (const { headers } of [plain, br, gzip]) expect(String(headers['vary']).toLowerCase()).toContain('accept-encoding')
    expect(brotliDecompressSync(br.rawPayload).toString()).toBe(plain.body)
    expect(gunzipSync(gzip.rawPayload).toString()).toBe(plain.body)
    expect(br.headers['content-length']).toBe(String(br.rawPayload.length))
    expect(br.rawPayload.length).toBeLessThan(plain.rawPayload.length / 4)
  })

  it('keeps the Vary of CORS', async () => {
    expect((await inject('GET', '/v1/monitors', 'br')).headers['vary']).toBe('Origin, Accept-Encoding')
  })

  it('leaves small answers, refusals and answers of other methods, which may show a secret, as they are', async () => {
    const body = { name: 'x'.repeat(200), scopes: ['read'] }
    for (const answer of [
      await inject('GET', '/v1/regions', 'br'),
      await inject('GET', '/v1/monitors/none', 'br'),
      await inject('POST', '/v1/api-keys', 'br', owner, body),
      await inject('POST', '/v1/monitors/bulk', 'br', owner, {
        create: Array.from({ length: 20 }, () => ({ name: 'Shop', url: 'https://example.com/' })),
      }),
    ])
      expect(answer.headers['content-encoding'], answer.body).toBeUndefined()
  })
})

describe('/openapi.json', () => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await startTestBackend()
  })
  afterAll(() => backend.close())

  it('has a strong ETag, and is a 304 for a client that has it', async () => {
    const get = (headers: Record<string, string> = {}) => backend.call('GET', '/openapi.json', { headers })
    const first = await get()
    const etag = String(first.headers['etag'])
    expect(etag).toMatch(/^"[\w-]{22}"$/)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await get({ 'if-none-match': known })
      expect([again.status, again.body, again.headers['etag']], known).toEqual([304, undefined, etag])
    }
    expect((await get({ 'if-none-match': '"other"' })).status).toBe(200)
  })
})
