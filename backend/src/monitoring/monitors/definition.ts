import { isDeepStrictEqual } from 'node:util'
import {
  checkKindSpec,
  CONFIRMATIONS,
  counted,
  type CreateMonitorBody,
  type ErrorDetail,
  HTTP_FIELDS,
  type HttpField,
  keptNames,
  mapSentOptions,
  MASK,
  MONITOR_INTERVAL_SECONDS,
  movedCredentials,
  NO_TARGET_DESCRIPTION,
  originOf,
  type PatchMonitorBody,
  sentTexts,
  TIMEOUT_SECONDS,
  withOptionDefaults,
} from '@vedette/shared'
import { CHECK_FIELDS, isComposite } from './composite-fields.ts'

/** The complete definition of a monitor; `server_id` and those of `depends_on` are stored ids. The fields of HTTP are present with type `http` alone. */
export type Definition = Required<Omit<CreateMonitorBody, HttpField>> & Pick<CreateMonitorBody, HttpField>

const HTTP_DEFAULTS = { method: 'GET', body: null, headers: {}, follow_redirects: true, verify_tls: true } as const

/** Fills in defaults; `ownRegion` is the backend's region. */
export function withDefaults(body: CreateMonitorBody, ownRegion: string): Definition {
  const type = body.type ?? 'http'
  const kind = checkKindSpec(type)
  const interval = body.interval ?? kind?.defaultInterval ?? MONITOR_INTERVAL_SECONDS.default
  return {
    type,
    url: kind?.defaultUrl ?? '',
    interval,
    timeout: Math.min(TIMEOUT_SECONDS.default, interval),
    regions: [ownRegion],
    credentials: {},
    assertions: [],
    tags: [],
    server_id: null,
    depends_on: [],
    active_hours: [],
    ...NO_TARGET_DESCRIPTION,
    confirmations: CONFIRMATIONS.default,
    ...(type === 'http' ? HTTP_DEFAULTS : {}),
    ...body,
    options: withOptionDefaults(kind, body.options),
  }
}

/** The fields of HTTP; none for another type. */
export const httpFields = (definition: Definition): Pick<Definition, HttpField> =>
  Object.fromEntries(HTTP_FIELDS.flatMap((field) => (definition[field] === undefined ? [] : [[field, definition[field]]])))

/**
 * Applies a change. Headers, options and credentials are replaced as a whole; a mask keeps the stored value.
 * Another type begins with its own defaults; `ownRegion` is the backend's region.
 */
export function applyPatch(current: Definition, patch: PatchMonitorBody, ownRegion = ''): Definition {
  if (patch.type !== undefined && patch.type !== current.type) {
    const ofOldType = new Set<string>([...HTTP_FIELDS, 'options', 'credentials', ...(isComposite(current) ? CHECK_FIELDS : [])])
    const common = Object.fromEntries(Object.entries(current).filter(([field]) => !ofOldType.has(field)))
    return withDefaults({ ...(common as Definition), ...patch }, ownRegion)
  }
  const changed: Definition = { ...current, ...patch }
  if (patch.headers !== undefined) changed.headers = unmask(patch.headers, current.headers ?? {}, true)
  if (patch.body === MASK && typeof current.body === 'string') changed.body = current.body
  if (patch.options !== undefined) changed.options = unmaskOptions(current, patch.options)
  if (patch.credentials !== undefined) changed.credentials = unmask(patch.credentials, current.credentials)
  return changed
}

type Secrets = Record<string, string>

/** Puts stored values in the place of masks. Header names are case-insensitive. */
function unmask(given: Secrets, stored: Secrets, ignoresCase = false): Secrets {
  const key = (name: string) => (ignoresCase ? name.toLowerCase() : name)
  const storedValues = new Map(Object.entries(stored).map(([name, value]) => [key(name), value]))
  return mapValues(given, (name, value) => (value === MASK ? (storedValues.get(key(name)) ?? MASK) : value))
}

function unmaskOptions({ type, options: stored }: Definition, given: Record<string, unknown>): Record<string, unknown> {
  const kind = checkKindSpec(type)
  const kept = new Map(sentTexts(kind, stored).map(({ path, text }) => [path, text]))
  return mapSentOptions(kind, withOptionDefaults(kind, given), (text, path) => (text === MASK ? (kept.get(path) ?? MASK) : text))
}

/** An empty text is no secret. */
const maskOptions = ({ type, options }: Definition): Record<string, unknown> =>
  mapSentOptions(checkKindSpec(type), options, (text) => (text === '' ? '' : MASK))

/** As a caller sees it: nobody sees credentials, and not everybody what else is sent, which may contain secrets. Pure. */
export const maskSecrets = (definition: Definition, seesRequest: boolean): Definition => ({
  ...definition,
  credentials: mapValues(definition.credentials, () => MASK),
  ...(!seesRequest && { options: maskOptions(definition) }),
  ...(!seesRequest && definition.headers && { headers: mapValues(definition.headers, () => MASK) }),
  ...(!seesRequest && typeof definition.body === 'string' && { body: MASK }),
})

/**
 * A change that sends stored secrets to another origin must send them again: those that the caller does not see, and whose values
 * the new origin would get. Pure.
 */
export function movedSecretFaults(
  before: Definition,
  after: Definition,
  given: PatchMonitorBody,
  seesRequest: boolean,
): ErrorDetail[] {
  if (before.type !== after.type) return []
  const credentials = movedCredentials(after.type, keptNames(before.credentials, given.credentials), before, after)
  const keepsBody = typeof after.body === 'string' && (given.body === undefined || given.body === MASK)
  const request = [
    ...keptNames(before.headers ?? {}, given.headers).map((name) => `headers.${name}`),
    ...(keepsBody ? ['body'] : []),
    ...keptOptions(before, given.options).map((path) => `options.${path}`),
  ]
  const staysThere = originOf(before.url) === originOf(after.url) && isDeepStrictEqual(maskOptions(before), maskOptions(after))
  const hidden = seesRequest || staysThere ? [] : request
  const message = 'must be sent again: the stored value is for the origin that it was sent to before'
  return [...credentials.map((name) => `credentials.${name}`), ...hidden].map((path) => ({ path, message }))
}

/** Paths of the stored texts that the change keeps. */
function keptOptions({ type, options }: Definition, given: Record<string, unknown> | undefined): string[] {
  const kind = checkKindSpec(type)
  const kept = given === undefined ? sentTexts(kind, options) : sentTexts(kind, given).filter(({ text }) => text === MASK)
  return kept.map(({ path }) => path)
}

const mapValues = (secrets: Secrets, toValue: (name: string, value: string) => string): Secrets =>
  Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name, toValue(name, value)]))

/** Faults across several fields; `given` contains the fields of the request. */
export function crossFieldFaults(definition: Definition, given: Partial<Definition>): ErrorDetail[] {
  return [...maskFaults(definition), ...timeoutFaults(definition, given)]
}

function maskFaults({ type, options, headers = {}, credentials, body }: Definition): ErrorDetail[] {
  const masked = (field: string, secrets: Secrets) =>
    Object.keys(secrets).flatMap((name) => (secrets[name] === MASK ? [`${field}.${name}`] : []))
  const message = `${MASK} stands for a value that is kept, and none is kept under this name`
  const sent = sentTexts(checkKindSpec(type), options).flatMap(({ path, text }) => (text === MASK ? [`options.${path}`] : []))
  const paths = [
    ...masked('headers', headers),
    ...masked('credentials', credentials),
    ...(body === MASK ? ['body'] : []),
    ...sent,
  ]
  return paths.map((path) => ({ path, message }))
}

/** Reports the field that the request contains. */
function timeoutFaults({ timeout, interval }: Definition, given: Partial<Definition>): ErrorDetail[] {
  if (timeout <= interval) return []
  if (given.timeout === undefined)
    return [{ path: 'interval', message: counted`must not be shorter than the timeout of ${timeout} seconds` }]
  return [{ path: 'timeout', message: counted`must not be longer than the interval of ${interval} seconds` }]
}

const CHECKED = ['type', 'url', 'method', 'headers', 'body', 'options', 'credentials', 'assertions'] as const

/** Whether the new definition is a different check, so that the state of the regions no longer applies. */
export function isOtherCheck(before: Definition, after: Definition): boolean {
  const sorted = ({ regions }: Definition) => regions.toSorted()
  return (
    CHECKED.some((field) => !isDeepStrictEqual(before[field], after[field])) || !isDeepStrictEqual(sorted(before), sorted(after))
  )
}

/** Names of the fields that differ. */
export function changedFields(before: Definition, after: Definition): (keyof Definition)[] {
  const fields = new Set(Object.keys({ ...before, ...after }) as (keyof Definition)[])
  return [...fields].filter((field) => !isDeepStrictEqual(before[field], after[field]))
}
