import type { ChannelConfig, ChannelType } from '@vedette/shared'
import type { Encrypter } from '../../../platform/crypto/encrypter.ts'
import { splitConfig } from './config.ts'
import type { ChannelRow } from './store.ts'

/** A replaced secret of a webhook; both sign for a while. */
export interface RetiredSecret {
  secret: string
  untilMs: number
}

interface EncryptedPart extends ChannelConfig {
  retired?: RetiredSecret
}

/** A config as it is stored: the open part, and the encrypted secrets. */
export function encryptConfig(
  encrypter: Encrypter,
  { id, type }: { id: string; type: ChannelType },
  config: ChannelConfig,
  retired?: RetiredSecret,
): Pick<ChannelRow, 'config' | 'secrets_encrypted'> {
  const { open, secret } = splitConfig(type, config)
  const part: EncryptedPart = { ...secret, ...(retired && { retired }) }
  return { config: open, secrets_encrypted: encrypter.encrypt(Buffer.from(JSON.stringify(part)), id) }
}

/** The whole config; without its secrets where no configured secret decrypts them (`hasLostSecrets`): they have to be entered again. */
export function decryptConfig(
  encrypter: Encrypter,
  { id, config, secrets_encrypted }: Pick<ChannelRow, 'id' | 'config' | 'secrets_encrypted'>,
): { config: ChannelConfig; retired: RetiredSecret | undefined; hasLostSecrets: boolean } {
  const text = encrypter.decrypt(secrets_encrypted, id)
  const { retired, ...secret } = text ? (JSON.parse(text.toString()) as EncryptedPart) : {}
  return { config: { ...config, ...secret }, retired, hasLostSecrets: text === undefined }
}
