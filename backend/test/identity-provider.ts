import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type GenerateKeyPairResult, type JWTPayload, SignJWT } from 'jose'

export const CLIENT = { client_id: 'vedette', client_secret: 'a secret of the client' }

/** How a fake provider answers one sign-in. */
export interface Granted {
  /** Added to the claims of the ID token; undefined removes one. */
  claims?: Record<string, unknown>
  /** Makes the ID token in place of the provider. */
  idToken?: (claims: JWTPayload) => Promise<string> | string
  userinfo?: Record<string, unknown>
}

/** An OpenID provider on loopback that a test can make misbehave. Its token endpoint checks client, code, PKCE and redirect URI. */
export interface FakeProvider {
  issuer: string
  /** Requests by path. */
  requests: string[]
  /** Changes what it publishes. */
  publish(metadata: Record<string, unknown>): void
  /** What the JWKS contains, and what signs from now on. */
  rotate(): Promise<void>
  sign(claims: JWTPayload, header?: Record<string, unknown>): Promise<string>
  publicKey(): CryptoKey
  /** A valid logout token, with these claims in place of its own. */
  logoutToken(claims: Record<string, unknown>): Promise<string>
  /** Signs a person in, as the browser that follows `location` would: the query of the callback. */
  grant(location: string, granted?: Granted): URLSearchParams
  /** Answers these paths in place of the provider. */
  answer(path: string, respond: (request: IncomingMessage, response: ServerResponse) => void): void
  close(): Promise<void>
}

interface Code extends Granted {
  nonce: string | null
  challenge: string | null
  redirectUri: string | null
}

/** `now` is the clock by which tokens are issued, ms. */
export async function startIdentityProvider(now: () => number): Promise<FakeProvider> {
  let key = await newKey()
  let extra: Record<string, unknown> = {}
  const requests: string[] = []
  const codes = new Map<string, Code>()
  const userinfos = new Map<string, Record<string, unknown>>()
  const answers = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>()
  const sign = (claims: JWTPayload, header = {}) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: key.kid, ...header }).sign(key.privateKey)
  const json = (response: ServerResponse, status: number, body: object) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

  async function token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const form = new URLSearchParams(body)
    const code = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isClient = form.get('client_id') === CLIENT.client_id && form.get('client_secret') === CLIENT.client_secret
    if (!code || !isClient || code.challenge !== challenge || code.redirectUri !== form.get('redirect_uri'))
      return json(response, 400, { error: 'invalid_grant' })
    const iat = Math.floor(now() / 1000)
    const claims = {
      iss: provider.issuer,
      aud: CLIENT.client_id,
      sub: 'ada',
      iat,
      exp: iat + 300,
      nonce: code.nonce,
      email: 'ada@example.com',
      email_verified: true,
      ...code.claims,
    } as JWTPayload
    const access = randomUUID()
    if (code.userinfo) userinfos.set(access, { sub: claims.sub, ...code.userinfo })
    const id_token = await (code.idToken ?? sign)(claims)
    json(response, 200, { access_token: access, token_type: 'bearer', id_token })
  }

  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://provider')
    requests.push(pathname)
    const own = answers.get(pathname)
    if (own) return own(request, response)
    if (pathname === '/.well-known/openid-configuration') return json(response, 200, { ...published(), ...extra })
    if (pathname === '/jwks') return json(response, 200, { keys: [key.jwk] })
    if (pathname === '/userinfo')
      return json(response, 200, userinfos.get((request.headers.authorization ?? '').slice('Bearer '.length)) ?? {})
    if (pathname === '/token') return void token(request, response)
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const published = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    userinfo_endpoint: `${issuer}/userinfo`,
    end_session_endpoint: `${issuer}/logout`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
    token_endpoint_auth_methods_supported: ['client_secret_post'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  })
  const provider: FakeProvider = {
    issuer,
    requests,
    publish: (metadata) => void (extra = metadata),
    rotate: async () => void (key = await newKey()),
    sign,
    publicKey: () => key.publicKey,
    logoutToken: (claims) =>
      sign(
        {
          iss: issuer,
          aud: CLIENT.client_id,
          iat: Math.floor(now() / 1000),
          jti: randomUUID(),
          events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
          ...claims,
        },
        { typ: 'logout+jwt' },
      ),
    grant: (location, granted = {}) => {
      const { searchParams: given } = new URL(location)
      const code = randomUUID()
      codes.set(code, {
        ...granted,
        nonce: given.get('nonce'),
        challenge: given.get('code_challenge'),
        redirectUri: given.get('redirect_uri'),
      })
      return new URLSearchParams({ code, state: given.get('state') ?? '', iss: issuer })
    },
    answer: (path, respond) => void answers.set(path, respond),
    close: () => {
      spareKeys.push(key.pair)
      server.closeAllConnections()
      return new Promise((resolve) => void server.close(() => resolve()))
    },
  }
  return provider
}

/** Key pairs of providers that were closed: to make one takes 60 ms of a core. */
const spareKeys: GenerateKeyPairResult[] = []

async function newKey() {
  const pair = spareKeys.pop() ?? (await generateKeyPair('RS256', { extractable: true }))
  const { publicKey, privateKey } = pair
  const kid = randomUUID()
  return {
    pair,
    kid,
    publicKey,
    privateKey,
    jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'RS256' },
  }
}
