import type { CreateIdentityProviderBody } from '@vedette/shared'
import { CLIENT, type FakeProvider, type Granted } from './identity-provider.ts'
import type { Answer, Credentials, TestBackend } from './harness.ts'

/** The backend may reach the providers of the tests. */
export const ON_LOOPBACK = { VEDETTE_ALLOW_PRIVATE_TARGETS: '127.0.0.0/8', VEDETTE_PUBLIC_URL: 'https://vedette.example.com' }

/** A new provider of an organization. Returns its id. */
export async function addProvider(
  backend: TestBackend,
  as: Credentials,
  issuer: string,
  more: Partial<CreateIdentityProviderBody> = {},
): Promise<string> {
  const body = { name: 'Example', issuer, ...CLIENT, email_domains: ['example.com'], creates_accounts: true, ...more }
  const answer = await backend.call('POST', '/v1/identity-providers', { as, body })
  if (answer.status !== 201) throw new Error(`the provider was answered with ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body.id
}

/** Publishes the records of its domains, which are found. */
export async function proveDomains(backend: TestBackend, as: Credentials, id: string): Promise<void> {
  const { body } = await backend.call('GET', `/v1/identity-providers/${id}`, { as })
  for (const { name } of body.domains) backend.txtRecords.set(`_vedette-domain.${name}`, [body.domain_token])
  await backend.pool.db.updateTable('identity_provider').set({ domains_check_at: null }).execute()
  await backend.jobs.checkProviderDomains()
}

/** A sign-in that a browser began: where it was sent, and its cookie. */
export interface Begun {
  id: string
  location: string
  cookie: string
}

export async function begin(backend: TestBackend, id: string, query = ''): Promise<Begun> {
  const answer = await backend.call('GET', `/v1/auth/oidc/${id}/start${query}`)
  if (answer.status !== 302) throw new Error(`the start was answered with ${answer.status}: ${JSON.stringify(answer.body)}`)
  return { id, location: String(answer.headers['location']), cookie: cookiesOf(answer)['vedette_oidc'] ?? '' }
}

export const callBack = (
  backend: TestBackend,
  { id, cookie }: Pick<Begun, 'id' | 'cookie'>,
  query: URLSearchParams | string,
): Promise<Answer> =>
  backend.call('GET', `/v1/auth/oidc/${id}/callback?${String(query)}`, {
    headers: cookie === '' ? {} : { cookie: `vedette_oidc=${cookie}` },
  })

/** A whole sign-in at a fake provider. */
export async function signIn(backend: TestBackend, id: string, provider: FakeProvider, granted: Granted = {}): Promise<Answer> {
  const begun = await begin(backend, id)
  return callBack(backend, begun, provider.grant(begun.location, granted))
}

/** The session that a callback opened, as the dashboard gets it. Throws where it opened none. */
export async function sessionBy(backend: TestBackend, answer: Answer): Promise<Credentials> {
  const refresh = cookiesOf(answer)['vedette_refresh']
  if (answer.status !== 302 || !refresh) throw new Error(`no session: ${answer.status} ${JSON.stringify(answer.body)}`)
  const headers = { cookie: `vedette_refresh=${refresh}`, 'x-requested-with': 'vedette' }
  const { status, body } = await backend.call('POST', '/v1/auth/refresh', { headers })
  if (status !== 200) throw new Error(`the refresh was answered with ${status}: ${JSON.stringify(body)}`)
  return { authorization: `Bearer ${String(body.token)}` }
}

export function cookiesOf({ headers }: Answer): Record<string, string> {
  const set = [headers['set-cookie'] ?? []].flat().map(String)
  return Object.fromEntries(set.map((text) => /^([^=]+)=([^;]*)/.exec(text)?.slice(1) as [string, string]))
}
