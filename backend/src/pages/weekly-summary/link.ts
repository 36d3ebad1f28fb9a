import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import { encryptedValues } from '../../platform/encrypted-values/encrypted-values.ts'

/** Where the links of the mails lead to. */
export const OFF_PATH = '/weekly-summary/off'

const CONTEXT = 'turn off'

export interface SummaryOwner {
  organization: number
  userId: string
}

/** Encrypts the tokens in the links of the mails. */
export const summaryEncrypter = encryptedValues('weekly summary', { notStored: 'links that turn a weekly summary off' })

/** The link that turns a summary off, without a sign-in. It has no end, and turns off again what was turned on again. */
export function unsubscribeUrl(encrypter: Encrypter, url: string, { organization, userId }: SummaryOwner): string {
  const token = encrypter.encrypt(Buffer.from(`${organization} ${userId}`), CONTEXT)
  return `${url}${OFF_PATH}?token=${token.toString('base64url')}`
}

/** Whose summary a token turns off; undefined for a token that this installation did not make. */
export function ownerOf(encrypter: Encrypter, token: string): SummaryOwner | undefined {
  const [organization, userId] = encrypter.decrypt(Buffer.from(token, 'base64url'), CONTEXT)?.toString().split(' ') ?? []
  return userId === undefined ? undefined : { organization: Number(organization), userId }
}
