import { ERROR_STATUS, type ErrorCode, type ErrorDetail } from '@vedette/shared'

interface ApiErrorOptions {
  details?: ErrorDetail[]
  /** When a client may try again, in whole seconds: the `Retry-After` header. */
  retryAfterSeconds?: number
  /** The limit that refused and the Unix time, in whole seconds, at which it admits again: the `X-RateLimit-*` headers. */
  limit?: { max: number; resetAtSeconds: number }
  cause?: unknown
}

/** The only error that reaches a client. `message` is public; what must stay private goes into `cause`. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly details: ErrorDetail[] | undefined
  readonly retryAfterSeconds: number | undefined
  readonly limit: ApiErrorOptions['limit']

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.name = 'ApiError'
    this.code = code
    this.status = ERROR_STATUS[code]
    this.details = options.details
    this.retryAfterSeconds = options.retryAfterSeconds
    this.limit = options.limit
  }
}

export const notFound = (): ApiError => new ApiError('not_found', 'There is nothing here under this name.')
export const unauthorized = (message = 'Missing or invalid credentials.'): ApiError => new ApiError('unauthorized', message)
export const forbidden = (message = 'These credentials may not do this.'): ApiError => new ApiError('forbidden', message)
export const conflict = (message: string): ApiError => new ApiError('conflict', message)

/** More than `max` of something: it is admitted again at `untilMs`. `message` says what; the time to wait is added to it. */
export function rateLimited(message: string, { max, nowMs, untilMs }: { max: number; nowMs: number; untilMs: number }): ApiError {
  const retryAfterSeconds = Math.max(1, Math.ceil((untilMs - nowMs) / 1000))
  const limit = { max, resetAtSeconds: Math.ceil(untilMs / 1000) }
  return new ApiError('rate_limited', `${message} Try again in ${retryAfterSeconds} s.`, { retryAfterSeconds, limit })
}

/** The database is away: nothing was stored that was not answered, and the same request may be sent again. */
export const unavailable = (cause?: unknown): ApiError =>
  new ApiError('unavailable', 'The service cannot reach its database right now. Please try again.', {
    retryAfterSeconds: 2,
    cause,
  })

/** A request whose content is wrong; every detail names the place. */
export function invalid(...details: ErrorDetail[]): ApiError {
  const [first] = details
  const prefix = first?.path ? `${first.path}: ` : ''
  return new ApiError('validation_error', `${prefix}${first?.message ?? 'The request is not valid.'}`, { details })
}
