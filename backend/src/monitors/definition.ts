import { isDeepStrictEqual } from 'node:util'
import {
  CONFIRMATIONS,
  type CreateMonitorBody,
  type ErrorDetail,
  MASK,
  MONITOR_INTERVAL_SECONDS,
  type PatchMonitorBody,
  TIMEOUT_SECONDS,
} from '@vedette/shared'

/** The complete definition of a monitor; `server_id` is the stored id. */
export type Definition = Required<CreateMonitorBody>

/** Fills in defaults; `ownRegion` is the backend's region. */
export function withDefaults(body: CreateMonitorBody, ownRegion: string): Definition {
  const interval = body.interval ?? MONITOR_INTERVAL_SECONDS.default
  return {
    type: 'http',
    method: 'GET',
    body: null,
    interval,
    timeout: Math.min(TIMEOUT_SECONDS.default, interval),
    regions: [ownRegion],
    headers: {},
    assertions: [],
    tags: [],
    server_id: null,
    follow_redirects: true,
    verify_tls: true,
    confirmations: CONFIRMATIONS.default,
    ...body,
  }
}

/** Applies a change; headers are replaced as a whole, a masked value and a masked body keep the stored one. */
export function applyPatch(current: Definition, patch: PatchMonitorBody): Definition {
  const headers = patch.headers === undefined ? current.headers : unmask(patch.headers, current.headers)
  const body = patch.body === undefined || (patch.body === MASK && current.body !== null) ? current.body : patch.body
  return { ...current, ...patch, headers, body }
}

type Headers = Definition['headers']

/** Header names are case-insensitive. */
function unmask(given: Headers, stored: Headers): Headers {
  const storedValues = new Map(Object.entries(stored).map(([name, value]) => [name.toLowerCase(), value]))
  return mapValues(given, (name, value) => (value === MASK ? (storedValues.get(name.toLowerCase()) ?? MASK) : value))
}

/** As callers see it who may not change it: what requests carry may contain secrets. Pure. */
export const maskRequest = (definition: Definition): Definition => ({
  ...definition,
  headers: mapValues(definition.headers, () => MASK),
  body: definition.body === null ? null : MASK,
})

const mapValues = (headers: Headers, toValue: (name: string, value: string) => string): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, toValue(name, value)]))

/** Faults across several fields; `given` contains the fields of the request. */
export function crossFieldFaults(definition: Definition, given: Partial<Definition>): ErrorDetail[] {
  return [...maskFaults(definition), ...timeoutFaults(definition, given)]
}

function maskFaults({ headers, body }: Definition): ErrorDetail[] {
  const masked = Object.keys(headers).filter((name) => headers[name] === MASK)
  const message = `${MASK} stands for a value that is kept, and none is kept under this name`
  const paths = [...masked.map((name) => `headers.${name}`), ...(body === MASK ? ['body'] : [])]
  return paths.map((path) => ({ path, message }))
}

/** Reports the field that the request contains. */
function timeoutFaults({ timeout, interval }: Definition, given: Partial<Definition>): ErrorDetail[] {
  if (timeout <= interval) return []
  if (given.timeout === undefined)
    return [{ path: 'interval', message: `must not be shorter than the timeout of ${timeout} seconds` }]
  return [{ path: 'timeout', message: `must not be longer than the interval of ${interval} seconds` }]
}

const CHECKED = ['type', 'url', 'method', 'headers', 'body', 'assertions'] as const

/** Whether the new definition is a different check, so that the state of the regions no longer applies. */
export function isOtherCheck(before: Definition, after: Definition): boolean {
  const sorted = ({ regions }: Definition) => regions.toSorted()
  return (
    CHECKED.some((field) => !isDeepStrictEqual(before[field], after[field])) || !isDeepStrictEqual(sorted(before), sorted(after))
  )
}

/** Names of the fields that differ. */
export function changedFields(before: Definition, after: Definition): (keyof Definition)[] {
  return (Object.keys(after) as (keyof Definition)[]).filter((field) => !isDeepStrictEqual(before[field], after[field]))
}
