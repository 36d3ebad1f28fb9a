import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { DefinitionOf } from '@vedette/shared'
import { afterAll, afterEach, expect, test } from 'vitest'
import { createProber } from '../../index.ts'
import { makeCertificate } from '../../test/certificates.ts'
import { define } from '../../test/targets.ts'

const authority = makeCertificate({ name: 'Test authority', isAuthority: true })
const prober = createProber({ allowPrivateTargets: 'all', extraAuthorities: [authority.cert] })
const closing: Server[] = []
afterEach(async () => {
  for (const server of closing.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})
afterAll(() => prober.close())

async function serve(server: Server, scheme = 'http'): Promise<string> {
  server.listen(0, '127.0.0.1')
  closing.push(server)
  await once(server, 'listening')
  return `${scheme}://localhost:${(server.address() as AddressInfo).port}`
}
const plain = (on: (request: IncomingMessage, response: ServerResponse) => void) => serve(createServer(on))
const check = (url: string, change: Partial<DefinitionOf<'http'>>) => prober.check(define(url, change))

test('a bearer token is sent, masked in evidence, and not sent to another origin', async () => {
  const seen: (string | undefined)[] = []
  const other = await plain((request, response) => {
    seen.push(request.headers.authorization)
    response.writeHead(500).end('you sent s3cret.token-1')
  })
  const url = await plain((request, response) => {
    seen.push(request.headers.authorization)
    response.writeHead(302, { location: other }).end()
  })
  const result = await check(url, { credentials: { bearer_token: 's3cret.token-1' } })
  expect(seen).toEqual(['Bearer s3cret.token-1', undefined])
  expect(result).toMatchObject({ outcome: 'down', status_code: 500, answer: { body: 'you sent •••' } })
})

test('a client certificate is shown to a target that requests one', async () => {
  const server = makeCertificate({ names: ['localhost'], issuer: authority })
  const client = makeCertificate({ name: 'vedette', issuer: authority })
  const options = { key: server.key, cert: server.cert, ca: authority.cert, requestCert: true, rejectUnauthorized: true }
  const url = await serve(
    createSecureServer(options, (request, response) =>
      response.end(String((request.socket as TLSSocket).getPeerCertificate().subject.CN)),
    ),
    'https',
  )
  const body = { type: 'body', operator: 'contains', value: 'vedette' } as const
  const own = { client_certificate: client.cert, client_key: client.key }
  expect(await check(url, { assertions: [body], credentials: own })).toMatchObject({ outcome: 'up', status_code: 200 })
  expect((await check(url, {})).outcome).toBe('down')
  const foreign = await check(url, { credentials: { ...own, client_key: makeCertificate().key } })
  expect(foreign).toMatchObject({ outcome: 'down', error: { code: 'tls' } })
  expect(foreign.error?.message).toMatch(/^the client certificate cannot be used with its key/)
})

/** A token endpoint that numbers its tokens. */
function endpoint(answer: (n: number) => { status?: number; body: object }) {
  const requests: { authorization: string | undefined; form: string }[] = []
  const url = plain((request, response) => {
    let form = ''
    request.on('data', (part: Buffer) => (form += part))
    request.on('end', () => {
      requests.push({ authorization: request.headers.authorization, form })
      const { status = 200, body } = answer(requests.length)
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  })
  return { url, requests }
}
const client = (url: string, id = 'a:b') => ({
  options: { oauth2_token_url: url, oauth2_client_id: id, oauth2_scope: 'read all' },
  credentials: { oauth2_client_secret: 'pass word' },
})

test('a token of OAuth 2 is requested once, is no part of the times, and is replaced when it is refused', async () => {
  const { url, requests } = endpoint((n) => ({ body: { access_token: `issued-token-${n}`, expires_in: 3600 } }))
  const seen: (string | undefined)[] = []
  let isRefusing = false
  const target = await plain((request, response) => {
    seen.push(request.headers.authorization)
    response.writeHead(isRefusing ? 401 : 200).end(`got ${request.headers.authorization}`)
  })
  const oauth = client(`${await url}/token`)
  const first = await check(target, oauth)
  expect([first.outcome, first.status_code]).toEqual(['up', 200])
  await check(target, oauth)
  isRefusing = true
  const refused = await check(target, oauth)
  expect(refused).toMatchObject({ outcome: 'down', status_code: 401, answer: { body: 'got Bearer •••' } })
  isRefusing = false
  await check(target, oauth)
  expect(seen).toEqual([1, 1, 1, 2].map((n) => `Bearer issued-token-${n}`))
  expect(requests.map(({ authorization }) => Buffer.from(authorization?.slice(6) ?? '', 'base64').toString())).toEqual([
    'a%3Ab:pass+word',
    'a%3Ab:pass+word',
  ])
  expect(requests[0]?.form).toBe('grant_type=client_credentials&scope=read+all')
})

test.each<[string, { status?: number; body: object }, string]>([
  ['an error', { status: 401, body: { error: 'invalid_client' } }, 'its endpoint returned status 401 (invalid_client)'],
  ['no token', { body: {} }, 'its endpoint returned no usable access_token'],
  ['a token with a line break', { body: { access_token: 'a\r\nb' } }, 'its endpoint returned no usable access_token'],
])('a token endpoint that returns %s leaves the check without a token', async (name, answer, message) => {
  const { url } = endpoint(() => answer)
  let wasCalled = false
  const target = await plain((_, response) => {
    wasCalled = true
    response.end()
  })
  const result = await check(target, client(await url, name))
  expect(result).toMatchObject({
    outcome: 'down',
    status_code: null,
    error: { code: 'protocol', message: `no token by OAuth 2 (${message})` },
  })
  expect(wasCalled).toBe(false)
})

test('the address guard holds for the token endpoint', async () => {
  const guarded = createProber({ allowPrivateTargets: [] })
  const { url, requests } = endpoint(() => ({ body: {} }))
  const result = await guarded.check(define('http://192.0.2.1/', client(await url)))
  expect(result).toMatchObject({ outcome: 'down', error: { code: 'blocked' } })
  expect(requests).toEqual([])
  guarded.close()
})
