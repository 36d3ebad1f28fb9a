import type { CreateMonitorBody, Dependency, ErrorDetail, MonitorDetails } from '@vedette/shared'
import { CONFIRMATIONS, MONITOR_INTERVAL_SECONDS, TIMEOUT_SECONDS } from '@vedette/shared/tables'
import {
  ASSERTION_OPERATORS,
  type AssertionOperator,
  assertionTypeSpec,
  assertionTypesOf,
  assertionValueKinds,
  checkKindSpec,
  keptNames,
  movedCredentials,
} from '@vedette/shared/tables'

import {
  type DocumentationInput,
  NO_DOCUMENTATION,
  toDocumentationInput,
  toTargetDocumentation,
} from '../../lib/documentation.ts'
import { type HoursInput, toHoursInput, toRestriction } from '../../lib/hours.ts'
import { parseDuration, typedDuration } from '../../lib/format.ts'
import { kindLabel } from '../../lib/kind-texts.ts'
import { newKey } from '../../lib/rows.ts'
import { addressFaults, partsOf } from './address/address.ts'
import type { AnyAssertion } from './draft.ts'
import { kindFormOf } from './kind-forms.ts'
import { kindOf } from './kind.ts'

type Assertion = NonNullable<CreateMonitorBody['assertions']>[number]

/** A monitor while it is edited: numbers and durations as they are typed. */
export interface MonitorInput {
  type: string
  name: string
  url: string
  method: string
  interval: string
  timeout: string
  confirmations: string
  /** Undefined: the region of the backend itself. */
  regions: readonly string[] | undefined
  tags: readonly string[]
  /** The server that it runs on. */
  server: string | undefined
  dependsOn: readonly Dependency[]
  /** Always, where there are none. */
  activeHours: readonly ActiveHoursInput[]
  documentation: DocumentationInput
  /** Numbers as they are typed. */
  options: Readonly<Record<string, unknown>>
  credentials: Readonly<Record<string, string>>
  headers: readonly HeaderInput[]
  body: string
  assertions: readonly AssertionInput[]
  followRedirects: boolean
  verifyTls: boolean
}

export type ActiveHoursInput = HoursInput & { zone: string }

export interface HeaderInput {
  key: number
  name: string
  value: string
}

export interface AssertionInput {
  key: number
  type: string
  operator: string
  property: string
  value: string
}

export const takesBody = (method: string): boolean => method !== 'GET' && method !== 'HEAD'

/** The kinds of value that an assertion takes; what the page does not know takes a text. */
export const valueKinds = ({ type, operator }: Pick<AssertionInput, 'type' | 'operator'>): readonly string[] =>
  assertionTypeSpec(type) && Object.hasOwn(ASSERTION_OPERATORS, operator)
    ? assertionValueKinds(type, operator as AssertionOperator)
    : ['string']

export function newAssertion(type: string): AssertionInput {
  const spec = assertionTypeSpec(type)
  return { key: newKey(), type, operator: spec?.operators[0] ?? 'equals', property: '', value: String(spec?.initialValue ?? '') }
}

export const NEW_MONITOR: MonitorInput = {
  type: 'http',
  name: '',
  url: '',
  method: 'GET',
  interval: typedDuration(MONITOR_INTERVAL_SECONDS.default),
  timeout: typedDuration(TIMEOUT_SECONDS.default),
  confirmations: String(CONFIRMATIONS.default),
  regions: undefined,
  tags: [],
  server: undefined,
  dependsOn: [],
  activeHours: [],
  documentation: NO_DOCUMENTATION,
  options: {},
  credentials: {},
  headers: [],
  body: '',
  assertions: [],
  followRedirects: true,
  verifyTls: true,
}

export function toMonitorInput(monitor: MonitorDetails): MonitorInput {
  return {
    type: monitor.type,
    name: monitor.name,
    url: monitor.url ?? kindOf(monitor.type).newUrl,
    method: monitor.method ?? NEW_MONITOR.method,
    interval: typedDuration(monitor.interval ?? MONITOR_INTERVAL_SECONDS.default),
    timeout: typedDuration(monitor.timeout ?? TIMEOUT_SECONDS.default),
    confirmations: String(monitor.confirmations ?? CONFIRMATIONS.default),
    regions: monitor.regions,
    tags: monitor.tags,
    server: monitor.server_id ?? undefined,
    dependsOn: monitor.depends_on,
    activeHours: monitor.active_hours.map(({ time_zone: zone, ...hours }) => ({ ...toHoursInput(hours), zone })),
    documentation: toDocumentationInput(monitor),
    options: kindOf(monitor.type).typedOptions(monitor.options),
    credentials: monitor.credentials ?? {},
    headers: toHeaderInput(monitor.headers ?? {}),
    body: monitor.body ?? '',
    assertions: (monitor.assertions ?? []).map(toAssertionInput),
    followRedirects: monitor.follow_redirects ?? true,
    verifyTls: monitor.verify_tls ?? true,
  }
}

export const toHeaderInput = (headers: Readonly<Record<string, string>>): HeaderInput[] =>
  Object.entries(headers).map(([name, value]) => ({ key: newKey(), name, value }))

export const toHeaders = (headers: readonly HeaderInput[]): Record<string, string> =>
  Object.fromEntries(headers.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]))

export const toAssertionInput = ({ type, operator, property = '', value = '' }: AnyAssertion): AssertionInput => ({
  key: newKey(),
  type,
  operator,
  property,
  value: String(value),
})

/** An empty name becomes that of the target. */
export function toMonitorBody(input: MonitorInput): CreateMonitorBody {
  return {
    name: input.name.trim() === '' ? nameOf(input) : input.name.trim(),
    type: input.type,
    ...(kindOf(input.type).isChecked ? toCheckFields(input) : {}),
    tags: [...input.tags],
    server_id: input.server ?? null,
    depends_on: [...input.dependsOn],
    active_hours: input.activeHours.map((hours) => ({ time_zone: hours.zone, ...toRestriction(hours) })),
    ...toTargetDocumentation(input.documentation),
    options: kindOf(input.type).toOptions(input.options),
    ...(kindOf(input.type).hasResults ? toTargetFields(input) : {}),
    ...(input.type === 'http' ? toHttpFields(input) : {}),
  }
}

const toTargetFields = (input: MonitorInput) => ({
  url: input.url.trim(),
  ...(input.regions && input.regions.length > 0 ? { regions: [...input.regions] } : {}),
  credentials: toCredentials(input),
  assertions: input.assertions.map(toAssertion),
})

/** What is empty is left out; the token of a heartbeat is replaced by an empty one. */
const toCredentials = ({ type, credentials }: MonitorInput) =>
  Object.fromEntries(Object.entries(credentials).filter(([, value]) => value !== '' || !kindOf(type).isChecked))

/**
 * Masked credentials that have to be entered again: those that are stored for another origin. Nothing is stored of a new monitor or
 * of another type.
 */
export function lostCredentials(saved: MonitorInput | undefined, input: MonitorInput): string[] {
  const masked = keptNames({}, input.credentials)
  if (saved?.type !== input.type) return masked
  const sentBy = ({ type, url, options }: MonitorInput) => ({ url: url.trim(), options: kindOf(type).toOptions(options) })
  return movedCredentials(input.type, masked, sentBy(saved), sentBy(input))
}

/** As faults of the form. */
export const credentialFaults = (names: readonly string[], message: string): ErrorDetail[] =>
  names.map((name) => ({ path: `credentials.${name}`, message }))

/** A heartbeat has those of its schedule. */
const toCheckFields = (input: MonitorInput) => ({
  interval: parseDuration(input.interval),
  timeout: parseDuration(input.timeout),
  confirmations: Number(input.confirmations),
})

const toHttpFields = (input: MonitorInput) => ({
  method: input.method as NonNullable<CreateMonitorBody['method']>,
  headers: toHeaders(input.headers),
  body: takesBody(input.method) && input.body !== '' ? input.body : null,
  follow_redirects: input.followRedirects,
  verify_tls: input.verifyTls,
})

/** The input of another kind: the same target, its own options and interval, and those assertions that it has too. */
export function withType(input: MonitorInput, type: string): Partial<MonitorInput> {
  const kind = kindOf(type)
  const interval = checkKindSpec(type)?.defaultInterval
  const types = assertionTypesOf(type)
  const assertions = input.assertions.filter((assertion) => types.includes(assertion.type))
  return {
    type,
    url: carriedUrl(input, type),
    options: kind.typedOptions({}),
    credentials: {},
    assertions: assertions.length > 0 ? assertions : (kindFormOf(type).assertions ?? []).map(toAssertionInput),
    ...(interval === undefined ? {} : { interval: typedDuration(interval) }),
  }
}

/** A monitor that is checked has regions: without one the schema refuses it. */
export const toPatchBody = (input: MonitorInput): CreateMonitorBody => ({
  ...toMonitorBody(input),
  ...(input.regions && kindOf(input.type).hasResults ? { regions: [...input.regions] } : {}),
})

/** Faults of what the body leaves out: a value without its header, and a header that another row sets. */
export const headerFaults = ({ headers }: MonitorInput, repeated: string): (string | ErrorDetail)[] => {
  const names = headers.map(({ name }) => name.trim().toLowerCase())
  return headers.flatMap(({ value }, index): (string | ErrorDetail)[] => {
    const path = `headers[${index}]`
    if (names[index] === '') return value === '' ? [] : [path]
    return names.indexOf(names[index] as string) < index ? [{ path, message: repeated }] : []
  })
}

export function toAssertion({ type, operator, property, value }: AssertionInput): Assertion {
  const kinds = valueKinds({ type, operator })
  // Where both kinds are allowed, a typed value is a text.
  const isNumber = !kinds.includes('string') && value.trim() !== ''
  return {
    type,
    operator: operator as Assertion['operator'],
    ...(assertionTypeSpec(type)?.property ? { property: property.trim() } : {}),
    ...(kinds.length > 0 ? { value: isNumber ? Number(value) : value } : {}),
  }
}

/** The URL of another kind for the same target. */
function carriedUrl({ type, url }: Pick<MonitorInput, 'type' | 'url'>, to: string): string {
  const { address } = kindFormOf(to)
  const { newUrl } = kindOf(to)
  if (newUrl !== '') return newUrl
  if (url !== '' && partsOf(address, url) && addressFaults(address, url).length === 0) return url
  const [first] = address.fields
  const target = targetOf(type, url)
  return first && target !== '' ? address.toUrl({ ...address.initial, [first.name]: target }) : ''
}

/** The host or the domain name that a monitor is about. */
function targetOf(type: string, url: string): string {
  const parts = partsOf(kindFormOf(type).address, url)
  if (parts?.['url'] !== undefined) return URL.parse(parts['url'])?.hostname ?? ''
  return parts?.['host'] ?? parts?.['domain'] ?? parts?.['record'] ?? URL.parse(url)?.hostname ?? ''
}

/** What a monitor without a name is called. Heartbeats and composites have no target. */
export function nameOf({ type, url }: Pick<MonitorInput, 'type' | 'url'>): string {
  const address = url.trim()
  if (!kindOf(type).isChecked) return ''
  const target = targetOf(type, address)
  const recordType = type === 'dns' ? partsOf(kindFormOf(type).address, address)?.['recordType'] : undefined
  return target === '' || recordType === undefined || recordType === 'A' ? target : `${target} ${recordType}`
}

/** As the schema checks it: the name of a target that is not typed yet is no fault of its own. */
export function toCheckedBody(input: MonitorInput): CreateMonitorBody {
  const body = toMonitorBody(input)
  return body.name === '' && kindOf(input.type).isChecked ? { ...body, name: kindLabel(input.type) } : body
}
