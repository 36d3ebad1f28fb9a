import { encryptedValues } from '../../../platform/encrypted-values/encrypted-values.ts'
import type { InstallationSecrets } from '../../../platform/crypto/installation-secrets.ts'

export interface SubscriberKey {
  organization: number
  pageId: string
  id: string
}

/** Tokens in the links of mails: who has one may confirm, change and end that subscription. They are stored nowhere. */
export interface SubscriberTokens {
  make(key: SubscriberKey): string
  /** Undefined for whatever this installation did not make. */
  read(token: string): SubscriberKey | undefined
}

const CONTEXT = 'status page subscriber'
const tokenEncrypter = encryptedValues(CONTEXT, { notStored: 'links in mails to subscribers of status pages' })

export function createSubscriberTokens(secrets: InstallationSecrets): SubscriberTokens {
  const encrypter = tokenEncrypter(secrets)
  return {
    make: ({ organization, pageId, id }) =>
      encrypter.encrypt(Buffer.from(`${organization} ${pageId} ${id}`), CONTEXT).toString('base64url'),
    read: (token) => {
      const [organization, pageId, id] = encrypter.decrypt(Buffer.from(token, 'base64url'), CONTEXT)?.toString().split(' ') ?? []
      return id === undefined || pageId === undefined ? undefined : { organization: Number(organization), pageId, id }
    },
  }
}
