import { HOUR_MS } from '@vedette/shared'
import type { Encrypter } from '../../../platform/crypto/encrypter.ts'
import { encryptedValues } from '../../../platform/encrypted-values/encrypted-values.ts'

/** Where the links lead to. */
export const ACTION_PATH = '/incident-actions'
const VALID_MS = 24 * HOUR_MS
const CONTEXT = 'incident action'
const UUIDS = 4

/** Who may act by a link, on which incident: uuids. */
export interface ActionLink {
  organizationId: string
  userId: string
  /** The contact method to which it was sent: removed, its links are dead. */
  channelId: string
  incidentId: string
  expiresMs: number
}

/** Encrypts the tokens in links of notifications. */
export const actionEncrypter = encryptedValues('incident action', { notStored: 'links of notifications that act on an incident' })

/** The link by which a person acts on an incident without a sign-in, for 24 hours. */
export function actionUrl(
  encrypter: Encrypter,
  publicUrl: string,
  { organizationId, userId, channelId, incidentId }: Omit<ActionLink, 'expiresMs'>,
  nowMs: number,
): string {
  const ids = [organizationId, userId, channelId, incidentId].map((id) => Buffer.from(id.replaceAll('-', ''), 'hex'))
  const expires = Buffer.alloc(8)
  expires.writeBigInt64BE(BigInt(nowMs + VALID_MS))
  const token = encrypter.encrypt(Buffer.concat([...ids, expires]), CONTEXT)
  return `${publicUrl}${ACTION_PATH}?token=${token.toString('base64url')}`
}

/** Undefined for a token that this installation did not make. It may have expired. */
export function readActionLink(encrypter: Encrypter, token: string): ActionLink | undefined {
  const plain = encrypter.decrypt(Buffer.from(token, 'base64url'), CONTEXT)
  if (!plain) return undefined
  const [organizationId = '', userId = '', channelId = '', incidentId = ''] = Array.from({ length: UUIDS }, (_, index) =>
    plain.toString('hex', index * 16, index * 16 + 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
  )
  return { organizationId, userId, channelId, incidentId, expiresMs: Number(plain.readBigInt64BE(UUIDS * 16)) }
}
