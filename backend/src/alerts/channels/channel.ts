import {
  CHANNEL_MASK,
  CHANNEL_TYPES,
  type ChannelConfig,
  type ChannelConfigBody,
  type ChannelConfigField,
  type ChannelField,
  type ChannelType,
  definitionFaults,
  type ErrorDetail,
} from '@vedette/shared'

type Value = NonNullable<ChannelConfig[ChannelConfigField]>

const SECRET_PREFIX = 'whsec_'
const SECRET_BYTES = { minimum: 24, maximum: 64 } as const

export const fieldsOf = (type: ChannelType): Readonly<Record<string, ChannelField>> => CHANNEL_TYPES[type]

/** A secret of Standard Webhooks. */
export const webhookSecret = (bytes: Buffer): string => `${SECRET_PREFIX}${bytes.toString('base64')}`

/** What is told of a config: its secrets are masked. Pure. */
export function maskConfig(type: ChannelType, config: ChannelConfig): ChannelConfig {
  const fields = fieldsOf(type)
  return mapConfig(config, (name, value) => (fields[name]?.isSecret === true ? CHANNEL_MASK : value))
}

/** The parts that are kept open and sealed. Pure. */
export function splitConfig(type: ChannelType, config: ChannelConfig): { open: ChannelConfig; secret: ChannelConfig } {
  const fields = fieldsOf(type)
  const part = (isSecret: boolean) =>
    Object.fromEntries(Object.entries(config).filter(([name]) => (fields[name]?.isSecret === true) === isSecret))
  return { open: part(false), secret: part(true) }
}

/** The config with what a body names; a mask is the value that was there, null takes it away. Pure. */
export function mergeConfig(current: ChannelConfig, body: ChannelConfigBody): ChannelConfig {
  const named = Object.entries(body) as [ChannelConfigField, Value | null][]
  const merged = { ...current, ...Object.fromEntries(named.filter(([name, value]) => !keeps(current, name, value))) }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null)) as ChannelConfig
}

const keeps = (current: ChannelConfig, name: ChannelConfigField, value: Value | null): boolean =>
  value === CHANNEL_MASK && current[name] !== undefined

/** What the schema cannot say of a config. Pure. */
export function configFaults(type: ChannelType, config: ChannelConfig): ErrorDetail[] {
  const fields = fieldsOf(type)
  const missing = Object.keys(fields).filter((name) => fields[name]?.isRequired === true && !Object.hasOwn(config, name))
  const foreign = Object.keys(config).filter((name) => !Object.hasOwn(fields, name))
  const faults = [
    ...missing.map((name) => ({ path: name, message: `is required for ${type}` })),
    ...foreign.map((name) => ({ path: name, message: `does not go with ${type}` })),
    ...Object.entries(config).flatMap(([name, value]) => valueFaults(name, value)),
  ]
  return faults.map(({ path, message }) => ({ path: `config.${path}`, message }))
}

function valueFaults(name: string, value: Value): ErrorDetail[] {
  if (typeof value !== 'string') return []
  if (value === CHANNEL_MASK)
    return [{ path: name, message: `${CHANNEL_MASK} stands for a secret that is kept, and none is kept under this name` }]
  // What becomes a header or a part of a path.
  if (/\p{Cc}/u.test(value)) return [{ path: name, message: 'holds control characters' }]
  if (name === 'url') return definitionFaults({ url: value })
  if (name === 'to' && !/^[^\s@]+@[^\s@]+$/.test(value)) return [{ path: name, message: 'must be an e-mail address' }]
  if (name === 'secret' && !isWebhookSecret(value)) {
    const { minimum, maximum } = SECRET_BYTES
    return [{ path: name, message: `must be ${SECRET_PREFIX} and base64 of ${minimum} to ${maximum} bytes` }]
  }
  return []
}

function isWebhookSecret(text: string): boolean {
  if (!text.startsWith(SECRET_PREFIX)) return false
  const bytes = Buffer.from(text.slice(SECRET_PREFIX.length), 'base64')
  const { minimum, maximum } = SECRET_BYTES
  // The reader skips what is no base64: one spelling only.
  return webhookSecret(bytes) === text && bytes.length >= minimum && bytes.length <= maximum
}

const mapConfig = (config: ChannelConfig, toValue: (name: string, value: Value) => Value): ChannelConfig =>
  Object.fromEntries(Object.entries(config).map(([name, value]) => [name, toValue(name, value)]))
