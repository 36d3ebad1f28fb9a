import { ERROR_STATUS, type ErrorCode, type ErrorDetail, type ErrorEnvelope } from '@vedette/shared'
import type { Refusal } from '../platform/http/index.ts'

const REQUEST_ID = '6d2b2573-e844-45fd-8401-90f94946808a'
const RETRY = { 'Retry-After': 'RetryAfter' }

interface Told {
  name: string
  description: string
  /** What a client reads, for example. */
  message: string
  details?: ErrorDetail[]
  headers?: Readonly<Record<string, string>>
}

/** One for each status that an operation may refuse with. 405 is none of them: it answers for a path, not for an operation. */
const TOLD = {
  validation_error: {
    name: 'ValidationError',
    description: 'A parameter, the body or the HTTP itself is wrong; `details` names the places',
    message: 'query parameter limits: is not known here',
    details: [{ path: 'limits', message: 'is not known here' }],
  },
  unauthorized: {
    name: 'Unauthorized',
    description: 'No credentials, wrong, expired or revoked ones, or two kinds at once',
    message: 'Missing or invalid credentials.',
  },
  plan_limit_reached: {
    name: 'PlanLimitReached',
    description: 'The plan of the organization allows no more of it; the message names the limit and its value',
    message: 'The plan free allows 5 servers, and this would be one too many.',
  },
  forbidden: {
    name: 'Forbidden',
    description: 'The credentials are good and may not do this',
    message: 'These credentials may not do this.',
  },
  not_found: {
    name: 'NotFound',
    description: "Nothing is under this name, or it is another organization's",
    message: 'There is nothing here under this name.',
  },
  request_timeout: {
    name: 'RequestTimeout',
    description: 'The request took too long to arrive',
    message: 'The request took too long to arrive.',
  },
  conflict: {
    name: 'Conflict',
    description: 'It contradicts what is there',
    message: 'Vedette has been set up already. Sign in instead.',
  },
  payload_too_large: {
    name: 'PayloadTooLarge',
    description: 'The body is larger than this endpoint takes',
    message: 'The body is larger than this endpoint takes.',
  },
  uri_too_long: {
    name: 'UriTooLong',
    description: 'The URL has more than 8,192 characters',
    message: 'The URL is longer than 8192 characters.',
  },
  unsupported_media_type: {
    name: 'UnsupportedMediaType',
    description: 'The body is not JSON, or has a content encoding that this endpoint does not take',
    message: 'Bodies are JSON: send Content-Type: application/json.',
  },
  rate_limited: {
    name: 'RateLimited',
    description: 'Too many requests in this minute',
    message: 'Too many requests. Try again in 42 s.',
    headers: RETRY,
  },
  headers_too_large: {
    name: 'HeadersTooLarge',
    description: 'The headers have more than 16 KiB together',
    message: 'The headers are too large.',
  },
  internal_error: {
    name: 'InternalError',
    description: 'A fault of ours; the log has it under the request id',
    message: 'Something went wrong on our side.',
  },
  unavailable: {
    name: 'Unavailable',
    description: 'The database is away or behind: send the same request again after `Retry-After`',
    message: 'The service cannot reach its database right now. Please try again.',
    headers: RETRY,
  },
} satisfies Partial<Record<ErrorCode, Told>>

export const REFUSALS: Readonly<Record<number, Refusal>> = Object.fromEntries(
  (Object.entries(TOLD) as [ErrorCode, Told][]).map(([code, { name, description, message, details, headers = {} }]) => {
    const error = { code, message, ...(details && { details }), request_id: REQUEST_ID }
    return [ERROR_STATUS[code], { name, description, headers, example: { error } satisfies ErrorEnvelope }]
  }),
)
