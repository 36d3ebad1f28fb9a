import {
  MASK,
  CHANNEL_TYPES,
  type ChannelConfig,
  type ChannelConfigBody,
  type ChannelConfigField,
  type ChannelField,
  type ChannelType,
  movedSecrets,
  originOf,
  TEMPLATE_FIELDS,
  type TemplateField,
  validateDefinition,
  type ErrorDetail,
} from '@vedette/shared'
import type { OwnFaults } from '../../../platform/http/index.ts'
import { JSON_TYPE } from '../kinds/http.ts'
import { openingOf } from '../messages/sample.ts'
import type { Rendering } from '../messages/template-engine.ts'
import { renderTemplate } from '../messages/templates.ts'

type Value = NonNullable<ChannelConfig[ChannelConfigField]>
type Headers = Record<string, string>

const SECRET_PREFIX = 'whsec_'
const SECRET_BYTES = { minimum: 24, maximum: 64 } as const

export const fieldsOf = (type: ChannelType): Readonly<Record<string, ChannelField>> => CHANNEL_TYPES[type]?.fields

/** The request headers that carry fields of a config, by the declaration of the type. Pure. */
export function configHeaders(type: ChannelType, config: ChannelConfig): { headers: Headers; secretHeaders: Headers } {
  const [headers, secretHeaders]: [Headers, Headers] = [{}, {}]
  for (const [name, { header, isSecret }] of Object.entries(fieldsOf(type) ?? {})) {
    const value = config[name as ChannelConfigField]
    if (!header || typeof value !== 'string') continue
    ;(isSecret ? secretHeaders : headers)[header.name] = header.scheme === undefined ? value : `${header.scheme} ${value}`
  }
  return { headers, secretHeaders }
}

/** A secret of Standard Webhooks. */
export const webhookSecret = (bytes: Buffer): string => `${SECRET_PREFIX}${bytes.toString('base64')}`

/** The config with its secrets masked; for callers who may not change the channel also what lets them send there. Pure. */
export function maskConfig(type: ChannelType, config: ChannelConfig, mayChange: boolean): ChannelConfig {
  const fields = fieldsOf(type) ?? {}
  const isMasked = (name: string) => fields[name]?.isSecret === true || (!mayChange && fields[name]?.isCapability === true)
  return mapConfig(config, (name, value) => (isMasked(name) ? MASK : value))
}

/** The parts that are stored open and encrypted. Pure. */
export function splitConfig(type: ChannelType, config: ChannelConfig): { open: ChannelConfig; secret: ChannelConfig } {
  const fields = fieldsOf(type) ?? {}
  const part = (isSecret: boolean) =>
    Object.fromEntries(Object.entries(config).filter(([name]) => (fields[name]?.isSecret === true) === isSecret))
  return { open: part(false), secret: part(true) }
}

/** The config with the changes of a body: a mask keeps the value, null removes it. Pure. */
export function mergeConfig(current: ChannelConfig, body: ChannelConfigBody): ChannelConfig {
  const named = Object.entries(body) as [ChannelConfigField, Value | null][]
  const merged = { ...current, ...Object.fromEntries(named.filter(([name, value]) => !isUnchanged(current, name, value))) }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null)) as ChannelConfig
}

const isUnchanged = (current: ChannelConfig, name: ChannelConfigField, value: Value | null): boolean =>
  value === MASK && current[name] !== undefined

/**
 * A change of the URL to another origin must send the secrets of requests again: a stored one, which the API never shows, is for
 * the origin that it was configured for. Signing secrets stay, as no request has them. Pure.
 */
export function movedSecretFaults(type: ChannelType, current: ChannelConfig, body: ChannelConfigBody): ErrorDetail[] {
  const fields = fieldsOf(type)
  const url = body.url
  if (typeof url !== 'string' || url === MASK) return []
  const kept = Object.keys(current).filter((name) => {
    const value = body[name as ChannelConfigField]
    return fields[name]?.isSecret === true && fields[name].header && (value === undefined || value === MASK)
  })
  const moved = movedSecrets(
    kept,
    () => [originOf(current.url ?? '')],
    () => [originOf(url)],
  )
  const message = 'must be sent again (or as null, if it is optional): the stored value is for the origin of the previous url'
  return moved.map((name) => ({ path: `config.${name}`, message }))
}

/** Shorter parts of a URL, and shorter topics, are words. */
const MIN_SECRET_PART = 16

/**
 * The secrets of a config, with what services may write back of them: the secret of a URL is its path and query, and long parts of
 * them are secrets also where the URL is shown, as is a long topic. Pure.
 */
export function secretsOf(type: ChannelType, config: ChannelConfig, retired?: string): string[] {
  const { open, secret } = splitConfig(type, config)
  const values = Object.values(secret).filter((value) => typeof value === 'string')
  const paths = values.flatMap((value) => {
    const { pathname = '', search = '' } = URL.parse(value) ?? {}
    return [`${pathname}${search}`, pathname]
  })
  const parts = [...values, open.url ?? ''].flatMap((value) => {
    const { pathname = '', search = '' } = URL.parse(value) ?? {}
    return `${pathname}${search}`.split(/[/?&=]/).filter(({ length }) => length >= MIN_SECRET_PART)
  })
  const capabilities = Object.values(mapConfig(open, (name, value) => (fieldsOf(type)?.[name]?.isCapability ? value : '')))
  const long = capabilities.filter((value) => typeof value === 'string').filter(({ length }) => length >= MIN_SECRET_PART)
  // Shorter ones would mask words.
  return [...values, ...paths, ...parts, ...long, retired ?? ''].filter(({ length }) => length > 3)
}

/** What templates make of an example. */
export type TrialRenderings = ReadonlyMap<string, Rendering>

/** What the schema cannot validate; `prefix` is where the fields are in the body. `trials` has all templates of the config. Pure. */
export function configFaults(
  type: ChannelType,
  config: ChannelConfig,
  trials: TrialRenderings,
  prefix = 'config.',
): ErrorDetail[] {
  const fields = fieldsOf(type)
  const missing = Object.keys(fields).filter((name) => fields[name]?.isRequired === true && !Object.hasOwn(config, name))
  const foreign = Object.keys(config).filter((name) => !Object.hasOwn(fields, name))
  const faults = [
    ...missing.map((name) => ({ path: name, message: `is required for ${type}` })),
    ...foreign.map((name) => ({ path: name, message: `is not a field of ${type} channels` })),
    ...Object.entries(config).flatMap(([name, value]) => (Object.hasOwn(fields, name) ? valueFaults(name, value) : [])),
    ...(type === 'ntfy' ? topicFaults(config) : []),
    ...templateFaults(config, trials),
  ]
  return faults.map(({ path, message }) => ({ path: prefix + path, message }))
}

/** Of a new channel, where the schema refuses a part of it; templates are not rendered. */
export const ownChannelFaults: OwnFaults = ({ type, config }) => {
  if (typeof config !== 'object' || config === null) return []
  return plainFaults(type as ChannelType, {}, config)
}

/** Of a change of a channel. Pure. */
export const changeFaults = (type: ChannelType, before: ChannelConfig, body: ChannelConfigBody): ErrorDetail[] => [
  ...movedSecretFaults(type, before, body),
  ...plainFaults(type, before, body),
]

function plainFaults(type: ChannelType, before: ChannelConfig, body: ChannelConfigBody): ErrorDetail[] {
  const fields = Object.entries(mergeConfig(before, body)).filter(([name]) => !TEMPLATES.has(name))
  return configFaults(type, Object.fromEntries(fields) as ChannelConfig, new Map())
}

/** Forms of values that become part of a request. */
const FORMS: Readonly<Partial<Record<string, [form: RegExp, message: string]>>> = {
  to: [/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address'],
  region: [/^(?:us|eu)$/, 'must be us or eu'],
  method: [/^(?:POST|PUT)$/, 'must be POST or PUT'],
  content_type: [/^[\w.+-]+\/[\w.+-]+(?:; ?charset=[\w-]+)?$/, 'must be a media type, for example application/json'],
  account_sid: [/^AC[0-9a-f]{32}$/, 'must be AC and 32 hexadecimal digits'],
  public_key: [/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal digits, from the page of the application'],
  webhook_secret: [/^[\w-]+$/, 'must be of letters, digits, _ and -'],
  message_thread_id: [/^[1-9]\d{0,14}$/, 'must be the number of a topic, as in its link'],
  room_id: [/^!\S+$/, 'must begin with !, as in the settings of the room'],
  service: [/^\w+$/, 'must be the name of an action of notify, for example mobile_app_phone'],
  topic_arn: [/^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]+(?:\.fifo)?$/, 'must be the ARN of an SNS topic'],
}

function valueFaults(name: string, value: Value): ErrorDetail[] {
  if (typeof value !== 'string' || TEMPLATES.has(name)) return []
  if (value === MASK) return [{ path: name, message: `${MASK} keeps a stored secret, but none is stored in this field` }]
  // The value may become a header or part of a path.
  if (/\p{Cc}/u.test(value)) return [{ path: name, message: 'must not contain control characters' }]
  if (name === 'url') return validateDefinition({ url: value })
  const [form, message] = FORMS[name] ?? []
  if (form && message !== undefined && !form.test(value)) return [{ path: name, message }]
  if (name === 'secret' && !isWebhookSecret(value)) {
    const { minimum, maximum } = SECRET_BYTES
    return [{ path: name, message: `must be ${SECRET_PREFIX} and base64 of ${minimum} to ${maximum} bytes` }]
  }
  return []
}

const TEMPLATES: ReadonlySet<string> = new Set(TEMPLATE_FIELDS)

/** Renders the templates of a config for an example, whose name has quotation marks; `known` are not rendered again. */
export async function tryTemplates(config: ChannelConfig, known: TrialRenderings = new Map()): Promise<TrialRenderings> {
  const trials = new Map(known)
  for (const field of TEMPLATE_FIELDS) {
    const template = config[field]
    if (template === undefined || trials.has(trialKey(field, template))) continue
    trials.set(trialKey(field, template), await renderTemplate(field, template, openingOf(), true))
  }
  return trials
}

const trialKey = (field: TemplateField, template: string): string => `${field} ${template}`

function templateFaults(config: ChannelConfig, trials: TrialRenderings): ErrorDetail[] {
  return TEMPLATE_FIELDS.flatMap((path): ErrorDetail[] => {
    const template = config[path]
    if (template === undefined) return []
    const { text = '', fault } = trials.get(trialKey(path, template)) ?? {}
    if (fault !== undefined) return [{ path, message: `is not a template that can be rendered: ${fault}` }]
    if (path !== 'body_template' || !isJsonType(config.content_type) || isJson(text)) return []
    return [{ path, message: 'makes no JSON of a name with quotation marks: write {{ title | json }} in place of "{{ title }}"' }]
  })
}

const isJsonType = (type = JSON_TYPE): boolean => type.startsWith(JSON_TYPE)

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** ntfy parses JSON only at its root: below a topic the JSON itself becomes the text of the message. */
function topicFaults({ url = '' }: ChannelConfig): ErrorDetail[] {
  const { pathname = '/' } = URL.parse(url) ?? {}
  if (pathname === '/') return []
  return [{ path: 'url', message: `must be the address of the server without ${pathname}: the topic has its own field` }]
}

function isWebhookSecret(text: string): boolean {
  if (!text.startsWith(SECRET_PREFIX)) return false
  const bytes = Buffer.from(text.slice(SECRET_PREFIX.length), 'base64')
  const { minimum, maximum } = SECRET_BYTES
  // Buffer skips characters that are not base64: only the canonical spelling is accepted.
  return webhookSecret(bytes) === text && bytes.length >= minimum && bytes.length <= maximum
}

const mapConfig = (config: ChannelConfig, toValue: (name: string, value: Value) => Value): ChannelConfig =>
  Object.fromEntries(Object.entries(config).map(([name, value]) => [name, toValue(name, value)]))
