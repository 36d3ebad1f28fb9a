import { ERROR_STATUS, type ErrorCode, type ErrorDetail } from '@vedette/shared'

interface ApiErrorOptions {
  details?: ErrorDetail[]
  /** When a client may try again, in whole seconds: the `Retry-After` header. */
  retryAfterSeconds?: number
  cause?: unknown
}

/** The only error that reaches a client. `message` is public; what must stay private goes into `cause`. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly details: ErrorDetail[] | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.name = 'ApiError'
    this.code = code
    this.status = ERROR_STATUS[code]
    this.details = options.details
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

export const notFound = (): ApiError => new ApiError('not_found', 'There is nothing here under this name.')
export const unauthorized = (message = 'Missing or invalid credentials.'): ApiError => new ApiError('unauthorized', message)
export const forbidden = (message = 'These credentials may not do this.'): ApiError => new ApiError('forbidden', message)
export const conflict = (message: string): ApiError => new ApiError('conflict', message)

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
