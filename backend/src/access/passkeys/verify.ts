import { hash } from 'node:crypto'
import type { GivenCredential, NewCredential } from '@vedette/shared'
import type { Db } from '../../platform/db/index.ts'
import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import { challengeEnd, type Purpose } from './challenge.ts'
import type { RelyingParty } from './relying-party.ts'
import * as store from './store.ts'

/** Loaded with its first use: a tenth of a second that no start-up needs. */
export const loadLibrary = () => import('@simplewebauthn/server')

/** EdDSA, ES256, RS256: what authenticators have. */
export const ALGORITHMS = [-8, -7, -257]

/** A challenge that was valid and is used once, by `consume`. */
export interface ValidChallenge {
  /** False where another request was faster. Run it in the transaction of what it is for. */
  consume(db: Db): Promise<boolean>
}

export interface Expectation {
  party: RelyingParty
  encrypter: Encrypter
  purpose: Purpose
  nowMs: number
}

interface Verified<Of> {
  of: Of
  challenge: ValidChallenge
}

export interface NewPublicKey {
  credentialId: Buffer
  publicKey: Buffer
  counter: number
  synced: boolean
}

/** The key of a new passkey. Throws an Error that says what is wrong, for the log. */
export async function verifyNew(given: NewCredential, expected: Expectation): Promise<Verified<NewPublicKey>> {
  const { verifyRegistrationResponse } = await loadLibrary()
  await requirePlainAttestation(given.attestation_object)
  const { accept, challenge } = challengeOf(expected)
  requireSameOrigin(given.client_data)
  const { party } = expected
  const { registrationInfo } = await verifyRegistrationResponse({
    response: toStandard(given.key_handle, { clientDataJSON: given.client_data, attestationObject: given.attestation_object }),
    expectedChallenge: accept,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  })
  if (!registrationInfo) throw new Error('the attestation is not valid')
  const { credential, credentialBackedUp: synced } = registrationInfo
  if (credential.id !== given.key_handle) throw new Error('the id is not that of the signed credential')
  const { publicKey, counter } = credential
  const of = { credentialId: Buffer.from(credential.id, 'base64url'), publicKey: Buffer.from(publicKey), counter, synced }
  return { of, challenge: challenge() }
}

/** The use of a passkey. Throws an Error that says what is wrong, for the log. */
export async function verifyUse(
  given: GivenCredential,
  passkey: store.PasskeyRow,
  expected: Expectation,
): Promise<Verified<{ counter: number; synced: boolean }>> {
  const { verifyAuthenticationResponse } = await loadLibrary()
  const { accept, challenge } = challengeOf(expected)
  requireSameOrigin(given.client_data)
  if (given.user_handle !== userHandleOf(passkey.user_id).toString('base64url'))
    throw new Error('the user is not that of the passkey')
  const { party } = expected
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: toStandard(given.key_handle, {
      clientDataJSON: given.client_data,
      authenticatorData: given.authenticator_data,
      signature: given.signature,
      userHandle: given.user_handle,
    }),
    expectedChallenge: accept,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    credential: {
      id: given.key_handle,
      publicKey: new Uint8Array(passkey.public_key),
      counter: passkey.counter,
    },
  })
  if (!verified) throw new Error('the signature is not of the passkey')
  return { of: { counter: authenticationInfo.newCounter, synced: authenticationInfo.credentialBackedUp }, challenge: challenge() }
}

/** In the form of the Web Authentication standard. */
const toStandard = <Response>(id: string, response: Response) => ({
  id,
  rawId: id,
  type: 'public-key' as const,
  clientExtensionResults: {},
  response,
})

/** What an authenticator calls a user: 16 bytes without an e-mail in them. */
export const userHandleOf = (userId: string): Buffer => Buffer.from(userId.replaceAll('-', ''), 'hex')

function challengeOf({ encrypter, purpose, nowMs }: Expectation) {
  let valid: ValidChallenge | undefined
  const accept = (text: string): boolean => {
    const endMs = challengeEnd(encrypter, purpose, text, nowMs)
    if (endMs !== undefined) {
      const digest = hash('sha256', text, 'buffer')
      valid = { consume: (db) => store.useChallenge(db, digest, new Date(endMs)) }
    }
    return endMs !== undefined
  }
  const challenge = (): ValidChallenge => {
    if (!valid) throw new Error('the challenge was not verified')
    return valid
  }
  return { accept, challenge }
}

/**
 * Attestations with certificates are refused: the options request none, and verifying one would download the revocation lists that it
 * names.
 */
async function requirePlainAttestation(attestationObject: string): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')))
  const format = decoded.get('fmt')
  const isPlain = format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined)
  if (!isPlain) throw new Error('the attestation has certificates')
}

/** The library accepts a frame of another site where the browser does not name that site. */
function requireSameOrigin(clientDataJson: string): void {
  const { crossOrigin } = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString()) as { crossOrigin?: unknown }
  if (crossOrigin) throw new Error('a frame of another site requested it')
}
