import { createRemoteJWKSet, customFetch as keysFetch, type JWTVerifyGetKey } from 'jose'
import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  clockSkew,
  Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  type ServerMetadata,
} from 'openid-client'
import { aheadOfMachineSeconds, type Clock } from '../../platform/time/clock.ts'
import { isPlain } from './issuer.ts'
import { PROVIDER_LIMITS, type ProviderFetch } from './provider-fetch.ts'
import type { IdentityProviderRow } from './store.ts'

/** Signatures whose key is public. A shared secret or none proves nothing about the provider. */
export const SIGNATURES = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')

/** What a provider publishes changes rarely; an endpoint that moved is found after this time. */
const METADATA_MS = 300_000
/** An attacker who makes up ids of keys causes at most one request in this time. */
const KEYS_COOL_DOWN_MS = 5_000
const MAX_CACHED = 200

export interface ProviderClients {
  /** What the issuer publishes, and how to speak to it. Signing keys are read at each sign-in. Throws where it cannot be reached. */
  connect(provider: IdentityProviderRow, clientSecret: string): Promise<Configuration>
  /** The signing keys of an issuer, cached. */
  keys(metadata: ServerMetadata): JWTVerifyGetKey
}

/** Speaks to identity providers. Caches are bounded. */
export function createProviderClients({ fetch, clock }: { fetch: ProviderFetch; clock: Clock }): ProviderClients {
  const published = new Map<string, { until: number; metadata: Promise<ServerMetadata> }>()
  const keySets = new Map<string, JWTVerifyGetKey>()

  function metadataOf(issuer: string): Promise<ServerMetadata> {
    const cached = published.get(issuer)
    if (cached && cached.until > clock.now()) return cached.metadata
    const metadata = discover(issuer, fetch)
    put(published, issuer, { until: clock.now() + METADATA_MS, metadata })
    // A failure is not cached.
    metadata.catch(() => published.delete(issuer))
    return metadata
  }

  return {
    connect: async ({ kind, issuer, client_id: clientId }, clientSecret) => {
      const metadata = kind === 'github' ? githubMetadata(issuer) : await metadataOf(issuer)
      const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
      const authentication: ClientAuth = methods.includes('client_secret_post')
        ? ClientSecretPost(clientSecret)
        : ClientSecretBasic(clientSecret)
      const configuration = new Configuration(metadata, clientId, { [clockSkew]: aheadOfMachineSeconds(clock) }, authentication)
      configuration[customFetch] = fetch
      configuration.timeout = PROVIDER_LIMITS.limitMs / 1000
      enableNonRepudiationChecks(configuration)
      if (isPlain(issuer)) allowInsecureRequests(configuration)
      return configuration
    },
    keys: ({ jwks_uri: url = '' }) => {
      const cached = keySets.get(url)
      if (cached) return cached
      const keys = createRemoteJWKSet(new URL(url), { [keysFetch]: fetch, cooldownDuration: KEYS_COOL_DOWN_MS })
      put(keySets, url, keys)
      return keys
    },
  }
}

/** Adds to a bounded cache: the oldest entry makes way. */
function put<T>(cache: Map<string, T>, key: string, value: T): void {
  cache.delete(key)
  const [oldest] = cache.keys()
  if (cache.size >= MAX_CACHED && oldest !== undefined) cache.delete(oldest)
  cache.set(key, value)
}

/** What browsers are led to, and what codes, secrets and tokens go to. */
const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint', 'end_session_endpoint'] as const

/** Throws where it is no https URL without a user; of an issuer on this machine it may be http on this machine. */
function requireEndpoint(name: string, value: string | undefined, mayBePlain: boolean): void {
  if (value === undefined) return
  const url = URL.parse(value)
  const isSafe =
    url && (url.protocol === 'https:' || (mayBePlain && isPlain(value))) && url.username === '' && url.password === ''
  if (!isSafe) throw new Error(`the ${name} of the discovery document is no https URL`)
}

/** The discovery document. Throws where it is of another issuer, or offers too little. */
async function discover(issuer: string, fetch: ProviderFetch): Promise<ServerMetadata> {
  const execute = isPlain(issuer) ? [allowInsecureRequests] : []
  const timeout = PROVIDER_LIMITS.limitMs / 1000
  const configuration = await discovery(new URL(issuer), 'discovery', undefined, undefined, {
    execute,
    timeout,
    [customFetch]: fetch,
  })
  const { supportsPKCE: _method, ...metadata } = configuration.serverMetadata()
  // The library accepts another issuer of some vendors.
  if (new URL(metadata.issuer).href !== new URL(issuer).href) throw new Error('the discovery document is of another issuer')
  const offered = metadata.id_token_signing_alg_values_supported ?? ['RS256']
  const signatures = offered.filter((name) => SIGNATURES.includes(name))
  if (signatures.length === 0) throw new Error('no public-key signature of ID tokens is offered')
  if (metadata.code_challenge_methods_supported?.includes('S256') === false) throw new Error('PKCE with S256 is not offered')
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const)
    if (!metadata[name]) throw new Error(`the discovery document has no ${name}`)
  for (const name of ENDPOINTS) requireEndpoint(name, metadata[name], isPlain(issuer))
  return { ...metadata, id_token_signing_alg_values_supported: signatures }
}

/** GitHub is OAuth 2 only; its addresses are fixed, those of an own server follow from its base URL. */
function githubMetadata(base: string): ServerMetadata {
  const issuer = `${base.replace(/\/$/, '')}/login/oauth`
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/access_token`,
    token_endpoint_auth_methods_supported: ['client_secret_post'],
  }
}
