import { createHash } from 'node:crypto'
import {
  buildAuthorizationUrl,
  buildEndSessionUrl,
  calculatePKCECodeChallenge,
  type Configuration,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import type { IdentityProviderChoices } from '@vedette/shared'
import { type AuthDeps, type OpenedSession, type Origin, recordAccountEvent } from '../auth/index.ts'
import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import { ApiError, notFound, unauthorized } from '../../platform/errors.ts'
import { encodeId } from '../../platform/ids.ts'
import type { Log } from '../../platform/logging/log.ts'
import { openProvidedSession } from './account.ts'
import { domainOf, plainEmail } from './claims.ts'
import { exchangeCode, faultOf, toSignInError } from './exchange.ts'
import type { ProviderClients } from './provider-client.ts'
import type { ProviderFetch } from './provider-fetch.ts'
import { hostOf } from './issuer.ts'
import { insertRequest, takeRequest } from './request-store.ts'
import { clientSecretOf } from './secret.ts'
import * as store from './store.ts'
import { callbackUrl } from './wire.ts'

export interface SignInDeps extends AuthDeps {
  log: Log
  encrypter: Encrypter
  clients: ProviderClients
  fetch: ProviderFetch
  publicUrl(): string
}

/** How long a person may take at their provider. */
export const REQUEST_SECONDS = 600
/** Sign-ins under way at one provider: more than an organization begins in ten minutes, and some megabytes. */
const MAX_REQUESTS = 10_000
const MAX_CHOICES = 20

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** The enabled providers for which the domain of an e-mail is proved, by it alone: whether it has an account is not revealed. */
export async function findChoices({ db }: Pick<SignInDeps, 'db'>, email: string): Promise<IdentityProviderChoices> {
  const plain = plainEmail(email)
  const rows = plain === undefined ? [] : await store.listProvidersOfDomain(db, domainOf(plain), MAX_CHOICES)
  return {
    identity_providers: rows.map(({ id, issuer, ...names }) => ({
      id: encodeId('identityProvider', id),
      ...names,
      host: hostOf(issuer),
    })),
  }
}

/** The provider and how to speak to it. Throws not_found, unavailable. */
export async function connect(
  { db, encrypter, clients, log }: Pick<SignInDeps, 'db' | 'encrypter' | 'clients' | 'log'>,
  id: string,
): Promise<{ provider: store.IdentityProviderRow; configuration: Configuration }> {
  const provider = await store.findEnabledProvider(db, id)
  if (!provider) throw notFound()
  try {
    return { provider, configuration: await clients.connect(provider, clientSecretOf(encrypter, provider)) }
  } catch (error) {
    if (error instanceof ApiError) throw error
    log.warn({ identityProvider: id, reason: faultOf(error) }, 'an identity provider cannot be used')
    const message = 'The identity provider cannot be used right now. Please try again, or ask your administrator.'
    throw new ApiError('unavailable', message, { retryAfterSeconds: 5, cause: error })
  }
}

/** Where a browser goes to at a provider. */
export interface Destination {
  url: string
  /** Undefined where it is that of the issuer. */
  otherHost: string | undefined
}

function destinationOf(url: URL, { issuer }: store.IdentityProviderRow): Destination {
  return { url: url.href, otherHost: url.host === hostOf(issuer) ? undefined : url.host }
}

/**
 * Begins a sign-in: the address at the provider that the browser goes to, and the value of the cookie that binds the sign-in to this
 * browser. Throws not_found, unavailable.
 */
export async function startSignIn(
  deps: SignInDeps,
  id: string,
  returnPath: string,
): Promise<{ destination: Destination; browser: string }> {
  const { provider, configuration } = await connect(deps, id)
  const [state, nonce, verifier, browser] = [randomState(), randomNonce(), randomPKCECodeVerifier(), randomState()]
  const kept = Buffer.from(JSON.stringify({ nonce, verifier }))
  const request = {
    state_hash: digest(state),
    identity_provider: id,
    browser_hash: digest(browser),
    encrypted: deps.encrypter.encrypt(kept, state),
    return_path: returnPath,
    expires_at: new Date(deps.clock.now() + REQUEST_SECONDS * 1000),
  }
  await insertRequest(deps.db, request, MAX_REQUESTS)
  const url = buildAuthorizationUrl(configuration, {
    redirect_uri: callbackUrl(deps.publicUrl(), id),
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    ...(provider.kind === 'github' ? { scope: 'user:email' } : { scope: 'openid email profile', nonce }),
  })
  return { destination: destinationOf(url, provider), browser }
}

/** A callback as the browser brings it. */
export interface Callback {
  /** The query as it was sent. */
  search: string
  state: string | undefined
  /** Value of the cookie. */
  browser: string | undefined
}

/**
 * Ends a sign-in that this browser began: a session, and the path to return to. A failure is recorded in the security log. Throws
 * not_found, unauthorized where the answer of the provider is wrong, forbidden where the person may not sign in, plan_limit_reached,
 * unavailable.
 */
export async function finishSignIn(
  deps: SignInDeps,
  id: string,
  callback: Callback,
  origin: Origin,
): Promise<{ opened: OpenedSession; returnPath: string }> {
  try {
    return await finish(deps, id, callback, origin)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 'not_found') throw error
    deps.log.info({ identityProvider: id, reason: faultOf(error) }, 'a sign-in by an identity provider failed')
    const details = { identity_provider: encodeId('identityProvider', id), reason: error.message }
    await recordAccountEvent(deps, 'sign_in.failed', undefined, origin, details)
    throw error
  }
}

async function finish(deps: SignInDeps, id: string, { search, state, browser }: Callback, origin: Origin) {
  if (!(await store.findEnabledProvider(deps.db, id))) throw notFound()
  const unknown = unauthorized('This sign-in was not begun in this browser, or it took too long. Please start again.')
  if (state === undefined || browser === undefined) throw unknown
  const given = { provider: id, stateHash: digest(state), browserHash: digest(browser) }
  const request = await takeRequest(deps.db, given, new Date(deps.clock.now()))
  const kept = request && deps.encrypter.decrypt(request.encrypted, state)
  if (!request || !kept) throw unknown
  const { nonce, verifier } = JSON.parse(kept.toString()) as { nonce: string; verifier: string }
  const { provider, configuration } = await connect(deps, id)
  const url = new URL(callbackUrl(deps.publicUrl(), id))
  url.search = search
  const expected = { url, state, nonce, verifier }
  const person = await exchangeCode(provider, configuration, deps.fetch, expected).catch((error: unknown) => {
    throw toSignInError(error)
  })
  return { opened: await openProvidedSession(deps, provider, person, origin), returnPath: request.return_path }
}

/** Where the browser goes to end the session at the provider; undefined where the provider has no such address. */
export async function findSignOut(deps: SignInDeps, id: string): Promise<Destination | undefined> {
  const { provider, configuration } = await connect(deps, id)
  if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined
  const url = buildEndSessionUrl(configuration, { post_logout_redirect_uri: `${deps.publicUrl().replace(/\/$/, '')}/` })
  return destinationOf(url, provider)
}
