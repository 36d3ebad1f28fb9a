import { createECDH, type ECDH, randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { decrypt } from 'http_ece'
import { makeAuthority } from './e2e/certificates.ts'

/** As `PushSubscription.toJSON()` gives it. */
export interface BrowserSubscription {
  endpoint: string
  keys: { p256dh: string; auth: string }
}

export interface ReceivedPush {
  endpoint: string
  headers: IncomingHttpHeaders
  /** Decrypted by the library of the author of RFC 8188. */
  message: Record<string, unknown>
}

/** A push service on loopback, with TLS that this process trusts, the browsers that subscribe at it, and a webhook. */
export interface PushService {
  subscribe(): BrowserSubscription
  received: ReceivedPush[]
  hook: string
  /** What came to the webhook. */
  hooked: { headers: IncomingHttpHeaders; body: string }[]
  /** How the next pushes are answered; 201 without it. */
  answer(respond: (response: ServerResponse) => void): void
  close(): Promise<void>
}

export async function startPushService(): Promise<PushService> {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-push-'))
  const { caFile, certFile, keyFile } = makeAuthority(folder)
  const authorities = getCACertificates('default')
  setDefaultCACertificates([...authorities, readFileSync(caFile, 'utf8')])
  const browsers = new Map<string, { pair: ECDH; auth: Buffer }>()
  const received: ReceivedPush[] = []
  const hooked: PushService['hooked'] = []
  let respond = (response: ServerResponse): void => void response.writeHead(201).end()
  const server = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (request.url?.startsWith('/hook')) {
        hooked.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
        return respond(response)
      }
      const browser = browsers.get(request.url ?? '')
      if (!browser) return void response.writeHead(410).end()
      const params = { version: 'aes128gcm' as const, privateKey: browser.pair, authSecret: browser.auth.toString('base64url') }
      const message = JSON.parse(decrypt(Buffer.concat(chunks), params).toString())
      received.push({ endpoint: `${origin}${request.url}`, headers: request.headers, message })
      return respond(response)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    received,
    hook: `${origin}/hook`,
    hooked,
    subscribe: () => {
      const pair = createECDH('prime256v1')
      const auth = randomBytes(16)
      const path = `/push/${randomUUID()}`
      browsers.set(path, { pair, auth })
      const keys = { p256dh: pair.generateKeys('base64url'), auth: auth.toString('base64url') }
      return { endpoint: `${origin}${path}`, keys }
    },
    answer: (next) => void (respond = next),
    close: () => {
      setDefaultCACertificates(authorities)
      rmSync(folder, { recursive: true })
      server.closeAllConnections()
      return new Promise((resolve) => void server.close(() => resolve()))
    },
  }
}
