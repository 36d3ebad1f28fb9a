import {
  type CreatePasskeyBody,
  MAX_PASSKEYS,
  type NewCredential,
  type PasskeyItem,
  type PasskeyList,
  type PasskeyOptions,
  type PasskeySignInBody,
  type PatchPasskeyBody,
  toTimestamp,
  truncateText,
} from '@vedette/shared'
import {
  type AuthDeps,
  auditUser,
  endSessionsOfPasskey,
  hasPasskey,
  hasSecondFactor,
  lockUser,
  mailAccountChange,
  type OpenedSession,
  openSession,
  type Origin,
  recordAccountEvent,
  requireNoDemand,
  requireRecentProof,
  requireStrongSession,
  type UserPrincipal,
} from '../auth/index.ts'
import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import { type Db, inTransaction, type PageRequest } from '../../platform/db/index.ts'
import { conflict, forbidden, invalid, notFound, unauthorized } from '../../platform/errors.ts'
import { encodeId, newId } from '../../platform/ids.ts'
import type { Log } from '../../platform/logging/log.ts'
import { CHALLENGE_MS, createChallenge, type Purpose } from './challenge.ts'
import { type RelyingParty, relyingPartyOf } from './relying-party.ts'
import * as store from './store.ts'
import { ALGORITHMS, type Expectation, loadLibrary, userHandleOf, verifyNew, verifyUse } from './verify.ts'

export interface PasskeyDeps extends AuthDeps {
  log: Log
  /** Of the challenges. */
  challengeEncrypter: Encrypter
  /** Its host is whom passkeys belong to. */
  publicUrl(): string
}

export async function listPasskeys(db: Db, { userId }: UserPrincipal, { page, limit }: PageRequest): Promise<PasskeyList> {
  const { total, rows } = await store.listPasskeys(db, userId, { page, limit })
  return { passkeys: rows.map(toItem), total, page, limit }
}

const toItem = ({ id, name, synced, created_at: createdAt, last_used_at: usedAt }: store.PasskeyRow): PasskeyItem => ({
  id: encodeId('passkey', id),
  name,
  synced,
  created_at: toTimestamp(createdAt.getTime()),
  last_used_at: usedAt && toTimestamp(usedAt.getTime()),
})

/**
 * What a browser needs to make a passkey. Throws validation_error and unauthorized as `requireRecentProof`, forbidden in a session of
 * an identity provider, conflict beyond the bound, where an organization demands a stronger session, and without a host name.
 */
export async function startPasskey(
  deps: PasskeyDeps,
  principal: UserPrincipal,
  password: string | undefined,
  origin: Origin,
): Promise<PasskeyOptions> {
  const party = requireParty(deps)
  requireOwnSession(principal)
  const user = await requireRecentProof(deps, principal, password, origin)
  await requireStrongSession(deps.db, principal)
  const present = await store.listCredentials(deps.db, principal.userId)
  requireRoom(present.length)
  const { generateRegistrationOptions } = await loadLibrary()
  const options = await generateRegistrationOptions({
    rpName: 'Vedette',
    rpID: party.id,
    userName: user.email,
    userDisplayName: user.email,
    userID: new Uint8Array(userHandleOf(principal.userId)),
    challenge: new Uint8Array(createChallenge(deps.challengeEncrypter, purposeOf(principal), deps.clock.now())),
    timeout: CHALLENGE_MS,
    excludeCredentials: present.map(({ credential_id: id, transports }) => ({ id: id.toString('base64url'), transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  })
  return { ...options }
}

/**
 * Stores the passkey that the browser made. The session has it from then on. Throws validation_error for what does not fit the options,
 * else as `startPasskey`.
 */
export async function createPasskey(
  deps: PasskeyDeps,
  principal: UserPrincipal,
  { name, credential }: CreatePasskeyBody,
  { ip }: Origin,
): Promise<PasskeyItem> {
  const { of: key, challenge } = await verifyCreation(deps, principal, credential)
  const { userId, sessionId } = principal
  const at = new Date(deps.clock.now())
  return inTransaction(deps.db, async (db) => {
    await lockUser(db, userId)
    await requireStrongSession(db, principal)
    requireRoom((await store.listCredentials(db, userId)).length)
    if (!(await challenge.consume(db))) throw invalidCredential()
    const row = {
      id: newId(),
      user_id: userId,
      name,
      credential_id: key.credentialId,
      public_key: key.publicKey,
      counter: key.counter,
      transports: credential.transports ?? [],
      synced: key.synced,
      created_at: at,
    }
    if (!(await store.insertPasskey(db, row))) throw conflict('This passkey is stored already.')
    await store.markSession(db, sessionId, row.id)
    const details = { passkey: encodeId('passkey', row.id), name }
    await auditUser(db, userId, ip, { action: 'user.passkey_added', details }, at)
    await mailAccountChange(db, deps.outbox, userId, 'passkeyAdded', ip, at)
    return toItem({ ...row, last_used_at: null })
  })
}

async function verifyCreation(deps: PasskeyDeps, principal: UserPrincipal, credential: NewCredential) {
  requireOwnSession(principal)
  const expected = expectation(deps, requireParty(deps), purposeOf(principal))
  try {
    return await verifyNew(credential, expected)
  } catch (error) {
    deps.log.info({ reason: reasonOf(error) }, 'a new passkey was refused')
    throw invalidCredential()
  }
}

const invalidCredential = () => invalid({ path: 'credential', message: 'is not what the options of this session ask for' })

export async function renamePasskey(
  db: Db,
  { userId }: UserPrincipal,
  id: string,
  { name }: PatchPasskeyBody,
): Promise<PasskeyItem> {
  const row = await store.renamePasskey(db, userId, id, name)
  if (!row) throw notFound()
  return toItem(row)
}

/**
 * Removes a passkey and ends the other sessions that it opened. Throws as `startPasskey`; not_found; conflict for the last factor while
 * an organization demands one.
 */
export async function removePasskey(
  deps: PasskeyDeps,
  principal: UserPrincipal,
  id: string,
  password: string | undefined,
  origin: Origin,
): Promise<void> {
  requireOwnSession(principal)
  await requireRecentProof(deps, principal, password, origin)
  const { userId, sessionId } = principal
  const at = new Date(deps.clock.now())
  await inTransaction(deps.db, async (db) => {
    await lockUser(db, userId)
    await requireStrongSession(db, principal)
    const ended = await endSessionsOfPasskey(db, id, at, sessionId)
    const name = await store.deletePasskey(db, userId, id)
    if (name === undefined) throw notFound()
    if (!(await hasPasskey(db, userId)) && !(await hasSecondFactor(db, userId))) await requireNoDemand(db, userId)
    const details = { passkey: encodeId('passkey', id), name, sessions_ended: ended }
    await auditUser(db, userId, origin.ip, { action: 'user.passkey_removed', details }, at)
    await mailAccountChange(db, deps.outbox, userId, 'passkeyRemoved', origin.ip, at)
  })
}

/** What a browser needs to sign in with any passkey of this installation. */
export async function startSignIn(deps: PasskeyDeps): Promise<PasskeyOptions> {
  const party = requireParty(deps)
  const { generateAuthenticationOptions } = await loadLibrary()
  const options = await generateAuthenticationOptions({
    rpID: party.id,
    challenge: new Uint8Array(createChallenge(deps.challengeEncrypter, 'sign-in', deps.clock.now())),
    timeout: CHALLENGE_MS,
    userVerification: 'required',
  })
  return { ...options }
}

/** Opens a session for the user of a passkey. Throws unauthorized, with the same message for every fault. */
export async function signIn(deps: PasskeyDeps, body: PasskeySignInBody, origin: Origin): Promise<OpenedSession> {
  const party = requireParty(deps)
  const passkey = await store.findByCredential(deps.db, Buffer.from(body.credential.key_handle, 'base64url'))
  const opened = passkey ? await openByPasskey(deps, party, passkey, body, origin) : { refused: 'there is no such passkey' }
  if (!('refused' in opened)) return opened
  const reason = opened.refused
  deps.log.info({ reason }, 'a sign-in with a passkey was refused')
  const details = passkey && { passkey: encodeId('passkey', passkey.id), reason }
  await recordAccountEvent(deps, 'sign_in.failed', passkey?.user_id, origin, details)
  throw unauthorized('This passkey does not sign in. It may have been removed: sign in with your password.')
}

async function openByPasskey(
  deps: PasskeyDeps,
  party: RelyingParty,
  passkey: store.PasskeyRow,
  { credential, remember }: PasskeySignInBody,
  origin: Origin,
): Promise<OpenedSession | { refused: string }> {
  const { id, user_id: userId } = passkey
  let use: Awaited<ReturnType<typeof verifyUse>>
  try {
    use = await verifyUse(credential, passkey, expectation(deps, party, 'sign-in'))
  } catch (error) {
    return { refused: reasonOf(error) }
  }
  return inTransaction(deps.db, async (db) => {
    const at = new Date(deps.clock.now())
    await lockUser(db, userId)
    if (!(await use.challenge.consume(db))) return { refused: 'the challenge was used before' }
    if (!(await store.recordUse(db, id, { ...use.of, at }))) return { refused: 'it was removed, or used by another request' }
    return openSession(deps, db, userId, origin.ip, origin.userAgent, remember, { passkey: id })
  })
}

const expectation = ({ challengeEncrypter, clock }: PasskeyDeps, party: RelyingParty, purpose: Purpose): Expectation => ({
  party,
  encrypter: challengeEncrypter,
  purpose,
  nowMs: clock.now(),
})

const purposeOf = ({ sessionId }: UserPrincipal): Purpose => `new passkey in ${sessionId}`

function requireParty({ publicUrl }: PasskeyDeps): RelyingParty {
  const party = relyingPartyOf(publicUrl())
  if (!party) throw conflict('Passkeys need HTTPS and a host name, not an address, in VEDETTE_PUBLIC_URL.')
  return party
}

/** A provider vouches for its own organization only, until it says otherwise: a passkey would outlive that. */
function requireOwnSession({ identityProvider }: UserPrincipal): void {
  if (identityProvider !== undefined)
    throw forbidden('Sign in with your password to change passkeys: this session is of an identity provider.')
}

function requireRoom(present: number): void {
  if (present >= MAX_PASSKEYS) throw conflict(`At most ${MAX_PASSKEYS} passkeys per user are allowed. Remove one first.`)
}

const reasonOf = (error: unknown): string => (error instanceof Error ? truncateText(error.message, 300) : 'unknown')
