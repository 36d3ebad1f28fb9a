import type { InstallationSecrets } from '../../platform/crypto/installation-secrets.ts'
import { encryptedValues } from '../../platform/encrypted-values/encrypted-values.ts'

/** Where the links lead to. */
export const CONFIRM_PATH = '/mail-addresses/confirm'
const CONTEXT = 'mail address'
const encrypterOf = encryptedValues(CONTEXT, { notStored: 'links in mails of channels that confirm an address' })

export interface ConfirmLinks {
  /** The link by which who gets the mail confirms the address; undefined where nobody knows where links lead. */
  urlOf(organization: number, address: string): string | undefined
  /** Undefined for what this installation did not make. */
  read(token: string): { organization: number; address: string } | undefined
}

/** The tokens are stored nowhere, and only the address gets one. */
export function createConfirmLinks(secrets: InstallationSecrets, publicUrl: (() => string) | undefined): ConfirmLinks {
  const encrypter = encrypterOf(secrets)
  return {
    urlOf: (organization, address) => {
      if (!publicUrl) return undefined
      const token = encrypter.encrypt(Buffer.from(`${organization} ${address.toLowerCase()}`), CONTEXT)
      return `${publicUrl()}${CONFIRM_PATH}?token=${token.toString('base64url')}`
    },
    read: (token) => {
      const text = encrypter.decrypt(Buffer.from(token, 'base64url'), CONTEXT)?.toString()
      const blank = text?.indexOf(' ') ?? -1
      return text === undefined ? undefined : { organization: Number(text.slice(0, blank)), address: text.slice(blank + 1) }
    },
  }
}
