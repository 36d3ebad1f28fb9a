import { toTimestamp } from '@vedette/shared'
import type { Db } from '../../platform/db/index.ts'
import { maskSecrets } from '../../platform/logging/mask-secrets.ts'
import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import { decryptConfig } from '../channels/encrypted-config.ts'
import { type ChannelRow, recordChannelFailure } from '../channels/store.ts'
import type { DeliveryError } from '../messages/delivery.ts'

/** Records with the channel why a delivery failed. The response may repeat secrets of the request: they are masked. */
export async function recordFailure(
  { db, encrypter }: { db: Db; encrypter: Encrypter },
  organization: number,
  channel: ChannelRow,
  { code, message }: DeliveryError,
  atMs: number,
): Promise<void> {
  const secrets = secretsOf(encrypter, channel)
  await recordChannelFailure(db, organization, channel.id, {
    at: toTimestamp(atMs),
    code,
    message: maskSecrets(message, secrets),
  })
}

function secretsOf(encrypter: Encrypter, channel: ChannelRow): string[] {
  const { config, retired } = decryptConfig(encrypter, channel)
  const encrypted = Object.entries(config).filter(([name]) => !Object.hasOwn(channel.config, name))
  const values = encrypted.flatMap(([, value]) => (typeof value === 'string' ? [value] : []))
  // The secret of a URL is its path.
  const paths = values.flatMap((value) => URL.parse(value)?.pathname ?? [])
  return [...values, ...paths, ...(retired ? [retired.secret] : [])].filter(({ length }) => length > 3)
}
