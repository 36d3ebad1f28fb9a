import { type ChannelConfig, type ChannelType } from '@vedette/shared'
import { allows, type Configuration, toConfigured } from '../../../access/auth/index.ts'
import { fieldsOf, maskConfig } from './config.ts'
import { decryptConfig } from './encrypted-config.ts'
import type { ChannelDeps } from './service.ts'
import { readChannels } from './store.ts'

interface ChannelSpec {
  type: ChannelType
  config: ChannelConfig
}

const isSecret = (type: ChannelType, name: string): boolean => fieldsOf(type)?.[name]?.isSecret === true

const secretsAmong = (type: ChannelType, names: readonly string[]): string[] =>
  names.flatMap((name) => (isSecret(type, name) ? [`config.${name}`] : []))

export const channelConfiguration: Configuration<ChannelDeps> = {
  kind: 'channel',
  table: 'channel',
  read: async (deps, tenant, ids) =>
    (await readChannels(deps.db, tenant.number, ids)).map((row) => {
      const { name, type, enabled } = row
      const { config, hasLostSecrets } = decryptConfig(deps.encrypter, row)
      return toConfigured(
        row,
        { name, type, enabled, config },
        hasLostSecrets ? secretsAmong(type, Object.keys(fieldsOf(type))) : [],
      )
    }),
  complete: (spec) => {
    const given = Object.entries((spec.config ?? {}) as ChannelConfig).filter(([, value]) => value !== null)
    return { enabled: true, ...spec, config: Object.fromEntries(given) }
  },
  keepOmitted: (spec, before) => {
    const { type, config: stored } = before as unknown as ChannelSpec
    const kept = Object.entries(stored).filter(([name]) => isSecret(type, name))
    return { ...spec, config: { ...Object.fromEntries(kept), ...(spec.config as ChannelConfig | undefined) } }
  },
  mask: (spec, principal) => {
    const { type, config } = spec as unknown as ChannelSpec
    return { ...spec, config: maskConfig(type, config, allows(principal, 'integrations:manage')) }
  },
  secretsIn: (spec) => {
    const { type, config } = spec as unknown as ChannelSpec
    return secretsAmong(type, Object.keys(config))
  },
  toPatch: (before, patch) => {
    if (patch.config === undefined) return patch
    const [{ config: stored }, { config }] = [before, patch] as unknown as [ChannelSpec, ChannelSpec]
    const removed = Object.keys(stored).filter((name) => !Object.hasOwn(config, name))
    return { ...patch, config: { ...config, ...Object.fromEntries(removed.map((name) => [name, null])) } }
  },
}
