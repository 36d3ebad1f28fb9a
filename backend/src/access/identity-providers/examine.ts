import type { Clock } from '../../platform/time/clock.ts'
import { faultOf } from './exchange.ts'
import { createProviderClients } from './provider-client.ts'
import type { ProviderFetch } from './provider-fetch.ts'
import type { IdentityProviderRow } from './store.ts'

/** What a provider offers, or why it cannot be used. */
export interface ProviderExamination {
  is_well: boolean
  /** Null where all is well. */
  fault: string | null
  issuer: string
  authorization_endpoint: string | null
  token_endpoint: string | null
  /** Null: it has no logout for browsers. */
  end_session_endpoint: string | null
  signatures: string[]
  /** Ids of the signing keys; of GitHub there are none. */
  keys: string[]
  sends_issuer: boolean
  has_back_channel_logout: boolean
}

/** Reads the discovery document and the keys of a provider, as a sign-in does. Nothing is stored, and no secret is sent. */
export async function examineProvider(
  { fetch, clock }: { fetch: ProviderFetch; clock: Clock },
  provider: IdentityProviderRow,
): Promise<ProviderExamination> {
  const nothing = {
    issuer: provider.issuer,
    authorization_endpoint: null,
    token_endpoint: null,
    end_session_endpoint: null,
    signatures: [],
    keys: [],
    sends_issuer: false,
    has_back_channel_logout: false,
  }
  try {
    const configuration = await createProviderClients({ fetch, clock }).connect(provider, 'unused')
    const metadata = configuration.serverMetadata()
    const keys = metadata.jwks_uri === undefined ? [] : await readKeys(fetch, metadata.jwks_uri)
    return {
      is_well: true,
      fault: null,
      issuer: metadata.issuer,
      authorization_endpoint: metadata.authorization_endpoint ?? null,
      token_endpoint: metadata.token_endpoint ?? null,
      end_session_endpoint: metadata.end_session_endpoint ?? null,
      signatures: metadata.id_token_signing_alg_values_supported ?? [],
      keys,
      sends_issuer: metadata.authorization_response_iss_parameter_supported === true,
      has_back_channel_logout: metadata['backchannel_logout_supported'] === true,
    }
  } catch (error) {
    return { ...nothing, is_well: false, fault: faultOf(error) }
  }
}

async function readKeys(fetch: ProviderFetch, url: string): Promise<string[]> {
  const response = await fetch(url)
  const { keys } = (await response.json()) as { keys?: { kid?: string; use?: string }[] }
  if (response.status !== 200 || !Array.isArray(keys) || keys.length === 0) throw new Error('the provider publishes no keys')
  return keys.filter(({ use }) => use !== 'enc').map(({ kid = 'without an id' }) => kid)
}
