import { type ChannelConfig, type ChannelType } from '@vedette/shared'
import { allows, type Configuration, toConfigured } from '../../../access/auth/index.ts'
import { fieldsOf, maskConfig } from './config.ts'
import { type ChannelDeps, configOf } from './service.ts'
import { readChannels } from './store.ts'

interface ChannelSpec {
  type: ChannelType
  config: ChannelConfig
}

const isSecret = (type: ChannelType, name: string): boolean => fieldsOf(type)?.[name]?.isSecret === true

export const channelConfiguration: Configuration<ChannelDeps> = {
  kind: 'channel',
  table: 'channel',
  read: async (deps, tenant, ids) =>
    (await readChannels(deps.db, tenant.number, ids)).map((row) => {
      const { name, type, enabled } = row
      return toConfigured(row, { name, type, enabled, config: configOf(deps, row) })
    }),
  complete: (spec, before) => {
    const stored = (before as ChannelSpec | undefined)?.config ?? {}
    const { type, config = {} } = spec as Partial<ChannelSpec>
    const kept = Object.entries(stored).filter(([name]) => isSecret(type as ChannelType, name))
    const given = Object.entries(config).filter(([, value]) => value !== null)
    return { enabled: true, ...spec, config: { ...Object.fromEntries(kept), ...Object.fromEntries(given) } }
  },
  mask: (spec, principal) => {
    const { type, config } = spec as unknown as ChannelSpec
    return { ...spec, config: maskConfig(type, config, allows(principal, 'integrations:manage')) }
  },
  toPatch: (before, { type: _type, ...after }) => {
    const [{ config: stored }, { config }] = [before, after] as unknown as [ChannelSpec, ChannelSpec]
    const removed = Object.keys(stored).filter((name) => !Object.hasOwn(config, name))
    return { ...after, config: { ...config, ...Object.fromEntries(removed.map((name) => [name, null])) } }
  },
}
