import { VedetteAnswerError, VedetteError, VedetteNetworkError } from '@vedette/client'
import type { Viewer } from '../../lib/api.ts'

export type Labels = Readonly<Record<string, string>>
/** Seconds, and the value as a text: it may be `NaN` or `+Inf`. */
export type Sample = readonly [number, string]
export interface Matrix {
  resultType: 'matrix'
  result: readonly { metric: Labels; values: readonly Sample[] }[]
}
export type InstantData =
  | Matrix
  | { resultType: 'vector'; result: readonly { metric: Labels; value: Sample }[] }
  | { resultType: 'scalar' | 'string'; result: Sample }

/** A query that is wrong, or that cannot be evaluated, has a fault in words in place of data. */
export type Answer<Data> = { data: Data; notes: readonly string[]; fault?: undefined } | { fault: string }

export type Caller = Pick<Viewer, 'client' | 'headers' | 'organizationId'>

type Body<Data> =
  | { status: 'success'; data: Data; warnings?: string[]; infos?: string[] }
  | { status: 'error'; error: string }
  | { status?: undefined; error?: { code: string; message: string; request_id: string } }

const BASE = '/v1/prometheus/api/v1/'
/** Of what is truncated the page says how much it shows. */
const TRUNCATED = 'results truncated due to limit'

/** Reads a path of the query API, which is none of the typed client. Queries go as a form: an address could not be as long. */
export async function request<Data>(
  { client, headers, organizationId }: Caller,
  path: string,
  parameters: readonly (readonly [string, string | number])[],
  signal: AbortSignal,
): Promise<Answer<Data>> {
  const form = new URLSearchParams(parameters.map(([name, value]) => [name, String(value)]))
  const isQuery = path.startsWith('query')
  const own = { ...(await headers()), 'X-Organization-Id': organizationId }
  const response = await fetch(`${location.origin}${BASE}${path}${isQuery ? '' : `?${String(form)}`}`, {
    signal,
    headers: own,
    cache: 'no-store',
    ...(isQuery && { method: 'POST', body: form }),
  }).catch((error: unknown) => {
    signal.throwIfAborted()
    throw new VedetteNetworkError(`No answer from ${path}`, false, error)
  })
  const text = await response.text()
  const { status, headers: answered } = response
  const body = parsed(text) as Body<Data> | undefined
  if (body?.status === 'success') {
    const notes = [...(body.warnings ?? []), ...(body.infos ?? [])].filter((note) => note !== TRUNCATED)
    return { data: body.data, notes }
  }
  if (body?.status === 'error') return { fault: body.error }
  // This request fails as well, and the client then ends the session.
  if (status === 401) void client.me.read().catch(() => undefined)
  const wait = answered.get('retry-after')
  const seconds = wait === null ? undefined : Number(wait)
  if (body?.error) throw new VedetteError(status, body.error, seconds)
  throw new VedetteAnswerError(`${path} answered ${status}`, status, answered.get('content-type') ?? '', text, seconds)
}

/** Undefined for what is no JSON, as the page of a proxy. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
