import { isDeepStrictEqual } from 'node:util'
import { type CreateMonitorBody, type ErrorDetail, MONITOR_INTERVAL_SECONDS, type PatchMonitorBody } from '@vedette/shared'

/** What people define of a monitor, whole; `server_id` is the stored one. */
export type Definition = Required<CreateMonitorBody>

/** Stands for a header's value that is not shown; sent back, it leaves the value as it was. */
export const MASK = '•••'

const DEFAULT_TIMEOUT_SECONDS = 10
const DEFAULT_CONFIRMATIONS = 2

/** The definition with what was left out; `ownRegion` is the backend's. */
export function completeDefinition(body: CreateMonitorBody, ownRegion: string): Definition {
  const interval = body.interval ?? MONITOR_INTERVAL_SECONDS.default
  return {
    type: 'http',
    method: 'GET',
    body: null,
    interval,
    timeout: Math.min(DEFAULT_TIMEOUT_SECONDS, interval),
    regions: [ownRegion],
    headers: {},
    assertions: [],
    tags: [],
    server_id: null,
    follow_redirects: true,
    verify_tls: true,
    confirmations: DEFAULT_CONFIRMATIONS,
    ...body,
  }
}

/** The definition with what a change names; headers are replaced as a whole, a masked value is the one that was there. */
export function mergeDefinition(current: Definition, patch: PatchMonitorBody): Definition {
  const headers = patch.headers === undefined ? current.headers : unmask(patch.headers, current.headers)
  return { ...current, ...patch, headers }
}

type Headers = Definition['headers']

/** Names of headers are the same in any capitals. */
function unmask(given: Headers, kept: Headers): Headers {
  const keptValues = new Map(Object.entries(kept).map(([name, value]) => [name.toLowerCase(), value]))
  return mapValues(given, (name, value) => (value === MASK ? (keptValues.get(name.toLowerCase()) ?? MASK) : value))
}

export const maskHeaders = (headers: Headers): Headers => mapValues(headers, () => MASK)

const mapValues = (headers: Headers, toValue: (name: string, value: string) => string): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, toValue(name, value)]))

/** What the schema cannot say of a definition; `given` is what the request names of it. */
export function crossFaults(definition: Definition, given: Partial<Definition>): ErrorDetail[] {
  return [...maskFaults(definition), ...timeoutFaults(definition, given)]
}

function maskFaults({ headers }: Definition): ErrorDetail[] {
  const masked = Object.keys(headers).filter((name) => headers[name] === MASK)
  const message = `${MASK} stands for a value that is kept, and none is kept under this name`
  return masked.map((name) => ({ path: `headers.${name}`, message }))
}

/** Names the field that the request changed. */
function timeoutFaults({ timeout, interval }: Definition, given: Partial<Definition>): ErrorDetail[] {
  if (timeout <= interval) return []
  if (given.timeout === undefined)
    return [{ path: 'interval', message: `must not be shorter than the timeout of ${timeout} seconds` }]
  return [{ path: 'timeout', message: `must not be longer than the interval of ${interval} seconds` }]
}

const CHECKED = ['type', 'url', 'method', 'headers', 'body', 'assertions'] as const

/** Whether what the regions saw until now says nothing of the new definition. */
export function isOtherCheck(before: Definition, after: Definition): boolean {
  const sorted = ({ regions }: Definition) => regions.toSorted()
  return (
    CHECKED.some((field) => !isDeepStrictEqual(before[field], after[field])) || !isDeepStrictEqual(sorted(before), sorted(after))
  )
}

/** Fields in which the two differ. */
export function changedFields(before: Definition, after: Definition): (keyof Definition)[] {
  return (Object.keys(after) as (keyof Definition)[]).filter((field) => !isDeepStrictEqual(before[field], after[field]))
}
