import type { ChannelConfig, ChannelType } from '@vedette/shared'
import type { Sealer } from '../../platform/sealer.ts'
import { splitConfig } from './channel.ts'
import type { ChannelRow } from './store.ts'

/** A webhook's secret that another took the place of: for a while both sign. */
export interface Retired {
  secret: string
  untilMs: number
}

interface SealedPart extends ChannelConfig {
  retired?: Retired
}

/** A config as it is stored: what is open, and the rest sealed. */
export function sealChannel(
  sealer: Sealer,
  { id, type }: { id: string; type: ChannelType },
  config: ChannelConfig,
  retired?: Retired,
): Pick<ChannelRow, 'config' | 'secrets_sealed'> {
  const { open, secret } = splitConfig(type, config)
  const part: SealedPart = { ...secret, ...(retired && { retired }) }
  return { config: open, secrets_sealed: sealer.seal(Buffer.from(JSON.stringify(part)), id) }
}

/** The config whole. Without its secrets where no secret of today opens them: they have to be given anew. */
export function openChannel(
  sealer: Sealer,
  { id, config, secrets_sealed }: Pick<ChannelRow, 'id' | 'config' | 'secrets_sealed'>,
): { config: ChannelConfig; retired: Retired | undefined } {
  const text = sealer.open(secrets_sealed, id)
  const { retired, ...secret } = text ? (JSON.parse(text.toString()) as SealedPart) : {}
  return { config: { ...config, ...secret }, retired }
}
