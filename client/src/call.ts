import type { Route } from './routes.ts'
import type { ChangingOptions, CreatingOptions } from './types.ts'

/** What one call of a method asks for, before it is known where Vedette is and who asks. */
export interface Call {
  method: string
  /** With its query. */
  path: string
  headers: Record<string, string>
  body: string | null
  signal: AbortSignal | undefined
  timeoutMs: number
  /** 0 where a repeat could do something twice. */
  retries: number
}

export type CallDefaults = Pick<CreatingOptions, 'timeoutMs' | 'retries' | 'organizationId'>

const TIMEOUT_MS = 30_000

/** Takes the arguments of a method apart: what its path names, then body and query where it has them, then options. */
export function callOf(route: Route, given: readonly unknown[], defaults: CallDefaults): Call {
  const rest = [...given]
  const path = route.path.replaceAll(/:\w+/g, () => segmentOf(rest.shift()))
  const body = route.body ? JSON.stringify(rest.shift()) : null
  const query = route.query ? queryOf(rest.shift()) : ''
  const options = (rest.shift() ?? {}) as CreatingOptions & ChangingOptions
  const { method } = route
  const key = route.repeatable && options.idempotencyKey
  const organizationId = route.open ? undefined : (options.organizationId ?? defaults.organizationId)
  return {
    method,
    path: path + query,
    headers: {
      ...(body === null ? {} : { 'Content-Type': 'application/json' }),
      ...(route.ownPage ? { 'X-Requested-With': 'vedette' } : {}),
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
      ...(options.ifMatch === undefined ? {} : { 'If-Match': options.ifMatch }),
      ...(organizationId === undefined ? {} : { 'X-Organization-Id': organizationId }),
    },
    body,
    signal: options.signal,
    timeoutMs: options.timeoutMs ?? defaults.timeoutMs ?? TIMEOUT_MS,
    retries: method === 'GET' || key !== undefined ? (options.retries ?? defaults.retries ?? 0) : 0,
  }
}

/** How many arguments of the method are parameters of its path. */
export const countParameters = ({ path }: Route): number => path.split(':').length - 1

/** An empty id, or one of dots, would be another path: `remove('..')` must not delete what stands above. */
function segmentOf(id: unknown): string {
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) throw new TypeError(`${JSON.stringify(id)} is not an id`)
  return encodeURIComponent(id)
}

type QueryValue = string | number | boolean | undefined

/** A list of values is a parameter that is repeated. */
function queryOf(query: unknown): string {
  const pairs = Object.entries((query ?? {}) as Record<string, QueryValue | QueryValue[]>).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => (one === undefined ? [] : [[name, String(one)]])),
  )
  return pairs.length > 0 ? `?${String(new URLSearchParams(pairs))}` : ''
}
