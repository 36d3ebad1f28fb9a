import { toTimestamp } from '@vedette/shared'
import type { Db } from '../../platform/db/index.ts'
import { maskSecrets } from '../../platform/mask-secrets.ts'
import type { Sealer } from '../../platform/sealer.ts'
import { openChannel } from '../channels/sealed.ts'
import { type ChannelRow, noteFault } from '../channels/store.ts'
import type { DeliveryError } from './delivery.ts'

/** Notes with the channel why it took nothing. What the service said may hold what it was sent: that is masked. */
export async function noteFailure(
  { db, sealer }: { db: Db; sealer: Sealer },
  organization: number,
  channel: ChannelRow,
  { code, message }: DeliveryError,
  atMs: number,
): Promise<void> {
  const secrets = secretsOf(sealer, channel)
  await noteFault(db, organization, channel.id, { at: toTimestamp(atMs), code, message: maskSecrets(message, secrets) })
}

function secretsOf(sealer: Sealer, channel: ChannelRow): string[] {
  const { config, retired } = openChannel(sealer, channel)
  const sealed = Object.entries(config).filter(([name]) => !Object.hasOwn(channel.config, name))
  const values = sealed.flatMap(([, value]) => (typeof value === 'string' ? [value] : []))
  // The secret of a URL is its path.
  const paths = values.flatMap((value) => URL.parse(value)?.pathname ?? [])
  return [...values, ...paths, ...(retired ? [retired.secret] : [])].filter(({ length }) => length > 3)
}
