import { envelopeIn, VedetteAnswerError, VedetteError } from './errors.ts'
import type { Answer } from './transport.ts'
import type { RateLimit } from './types.ts'

/** The body of a response; undefined without a body, a text of the types in `texts`. Throws VedetteError and VedetteAnswerError. */
export function contentOf({ request, response, text }: Answer, texts: readonly string[] = []): unknown {
  const { status, headers } = response
  if (status === 204) return undefined
  const body = parse(text)
  if (response.ok && body !== undefined) return body
  const type = headers.get('content-type') ?? ''
  if (response.ok && texts.some((format) => type.startsWith(`text/${format};`))) return text
  const retryAfterSeconds = retryAfter(headers.get('retry-after'))
  const envelope = response.ok ? undefined : envelopeIn(body)
  if (envelope) throw new VedetteError(status, envelope, retryAfterSeconds)
  const target = headers.get('location')
  const redirects = response.type === 'opaqueredirect' || (status >= 300 && status < 400)
  const what = redirects ? `a redirect${target === null ? '' : ` to ${target}`}` : `${status} ${type || 'without a content type'}`
  const message = `The response to ${request.method} ${request.url} is not from Vedette: ${what}. Is the base URL right?`
  throw new VedetteAnswerError(message, status, type, text, retryAfterSeconds)
}

/** Parses a JSON object or array; undefined for any other text. Vedette never returns a bare value. */
function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** In seconds. Vedette sends seconds; a proxy may send a date. */
function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds))
}

export function rateLimitOf({ headers }: Response): RateLimit | undefined {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`))
  if (!limit || !remaining || !reset) return undefined
  return { limit: Number(limit), remaining: Number(remaining), resetAt: new Date(Number(reset) * 1000) }
}
