import type { GivenCredential, NewCredential } from '@vedette/shared'
import { InvalidInput } from './errors.ts'
import { passkeys } from '../messages/passkeys.ts'

/** Options of the API: JSON of the Web Authentication standard. */
type Json = object

/** Requests a new passkey of the authenticator; undefined where the user cancels. */
export async function makePasskey(options: Json): Promise<NewCredential | undefined> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as never)
  const made = await toJson(navigator.credentials.create({ publicKey }))
  if (!made) return undefined
  const { clientDataJSON = '', attestationObject = '', transports = [] } = made.response
  return { key_handle: made.id, client_data: clientDataJSON, attestation_object: attestationObject, transports }
}

/** Requests a passkey of this site; undefined where the user cancels. */
export async function requestPasskey(options: Json): Promise<GivenCredential | undefined> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as never)
  return toGiven(await toJson(navigator.credentials.get({ publicKey })))
}

/** Before the challenge ends, which is after five minutes. */
const RENEW_MS = 240_000

/**
 * Offers passkeys among the suggestions of the field for the e-mail, until the signal aborts. Undefined where the browser cannot, or
 * the user chooses none.
 */
export async function offerPasskeys(start: () => Promise<Json>, signal: AbortSignal): Promise<GivenCredential | undefined> {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return undefined
  while (!signal.aborted) {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON((await start()) as never)
    const end = AbortSignal.timeout(RENEW_MS)
    const both = AbortSignal.any([signal, end])
    const chosen = await toJson(navigator.credentials.get({ publicKey, mediation: 'conditional', signal: both }))
    if (chosen || !end.aborted) return toGiven(chosen)
  }
  return undefined
}

interface Standard {
  id: string
  response: Partial<
    Record<'clientDataJSON' | 'attestationObject' | 'authenticatorData' | 'signature' | 'userHandle', string> & {
      transports: string[]
    }
  >
}

function toGiven(chosen: Standard | undefined): GivenCredential | undefined {
  if (!chosen) return undefined
  const { clientDataJSON = '', authenticatorData = '', signature = '', userHandle = '' } = chosen.response
  const data = { client_data: clientDataJSON, authenticator_data: authenticatorData }
  return { key_handle: chosen.id, ...data, signature, user_handle: userHandle }
}

async function toJson(request: Promise<Credential | null>): Promise<Standard | undefined> {
  try {
    return ((await request) as { toJSON(): Standard } | null)?.toJSON()
  } catch (error) {
    const { name } = error as DOMException
    if (['NotAllowedError', 'AbortError', 'TimeoutError'].includes(name)) return undefined
    if (name === 'InvalidStateError') throw new InvalidInput([{ path: 'name', message: passkeys.present }])
    throw error
  }
}
