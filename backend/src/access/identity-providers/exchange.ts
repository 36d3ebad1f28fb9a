import { authorizationCodeGrant, type Configuration, fetchUserInfo } from 'openid-client'
import { DeliveryError } from '../../notifying/notifications/index.ts'
import { ApiError, unauthorized } from '../../platform/errors.ts'
import { claimAt, type Claims, plainEmail, roleFrom, verifiedEmail, type VouchedPerson } from './claims.ts'
import type { ProviderFetch } from './provider-fetch.ts'
import type { IdentityProviderRow } from './store.ts'

/** What a sign-in under way knows. */
export interface Expected {
  /** The callback with its whole query. */
  url: URL
  state: string
  nonce: string
  verifier: string
}

/**
 * Exchanges the code of a callback for the person whom the provider vouches for. The library verifies state, issuer, nonce, PKCE and
 * the ID token with its signature. Throws where one of them is wrong; `toSignInError` makes the answer of it.
 */
export async function exchangeCode(
  provider: IdentityProviderRow,
  configuration: Configuration,
  fetch: ProviderFetch,
  { url, state, nonce, verifier }: Expected,
): Promise<VouchedPerson> {
  const checks = { expectedState: state, pkceCodeVerifier: verifier }
  if (provider.kind === 'github') {
    const { access_token: token } = await authorizationCodeGrant(configuration, url, checks)
    return readGithubPerson(provider, fetch, token)
  }
  const tokens = await authorizationCodeGrant(configuration, url, { ...checks, expectedNonce: nonce, idTokenExpected: true })
  const idToken = tokens.claims()
  if (!idToken) throw new Error('there is no ID token')
  if (idToken.azp !== undefined && idToken.azp !== provider.client_id) throw new Error('the ID token is for another client')
  const claims = await withUserInfo(provider, configuration, tokens.access_token, idToken)
  return {
    subject: requireSubject(idToken.sub),
    email: verifiedEmail(claims),
    role: roleFrom(claims, provider),
    sid: typeof idToken['sid'] === 'string' ? idToken['sid'] : undefined,
  }
}

/** Some providers send e-mail or roles only by their userinfo endpoint. The ID token counts where both have a claim. */
async function withUserInfo(
  provider: IdentityProviderRow,
  configuration: Configuration,
  accessToken: string,
  idToken: Claims & { sub: string },
): Promise<Claims> {
  const isRoleMissing = provider.role_claim !== null && claimAt(idToken, provider.role_claim) === undefined
  const isMissing = idToken['email'] === undefined || isRoleMissing
  if (!isMissing || configuration.serverMetadata().userinfo_endpoint === undefined) return idToken
  return { ...(await fetchUserInfo(configuration, accessToken, idToken.sub)), ...idToken }
}

const MAX_SUBJECT_LENGTH = 255

function requireSubject(subject: string): string {
  if (subject === '' || subject.length > MAX_SUBJECT_LENGTH) throw new Error('the subject is not valid')
  return subject
}

/** GitHub has no ID token: the primary e-mail of the account counts if it is verified. */
async function readGithubPerson(provider: IdentityProviderRow, fetch: ProviderFetch, token: string): Promise<VouchedPerson> {
  const { origin, hostname } = new URL(provider.issuer)
  const api = hostname === 'github.com' ? 'https://api.github.com' : `${origin}/api/v3`
  const headers = { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json' }
  const read = async (path: string): Promise<unknown> => {
    const response = await fetch(`${api}${path}`, { headers })
    if (response.status !== 200) throw new Error(`GitHub answered ${path} with status ${response.status}`)
    return response.json()
  }
  const [user, emails] = [await read('/user'), await read('/user/emails?per_page=100')]
  const { id } = user as { id?: unknown }
  if (!Number.isSafeInteger(id) || !Array.isArray(emails)) throw new Error('GitHub sent no user')
  const primary = (emails as (Claims | null)[]).find((entry) => entry?.['primary'] === true && entry['verified'] === true)
  const email = typeof primary?.['email'] === 'string' ? plainEmail(primary['email']) : undefined
  return { subject: String(id), email, role: undefined, sid: undefined }
}

/** The answer to a sign-in that failed; what the provider sent stays in `cause`. */
export function toSignInError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (causesOf(error).some((cause) => cause instanceof DeliveryError))
    return new ApiError('unavailable', 'The identity provider cannot be reached right now. Please try again.', {
      retryAfterSeconds: 5,
      cause: error,
    })
  const refused = unauthorized('The sign-in failed: the answer of the identity provider is not valid. Please start again.')
  return Object.assign(refused, { cause: error })
}

/** The messages of an error and its causes, outermost first, and the error code of the provider: for the log. */
export const faultOf = (error: unknown): string =>
  causesOf(error)
    .flatMap((cause) => (cause instanceof Error ? [cause.message, (cause as { error?: unknown }).error] : []))
    .filter((text) => typeof text === 'string')
    .join(': ')

function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = []
  for (let cause = error; cause !== undefined && causes.length < 5; cause = cause instanceof Error ? cause.cause : undefined)
    causes.push(cause)
  return causes
}
