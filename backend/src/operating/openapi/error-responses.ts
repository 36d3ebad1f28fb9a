import { ERROR_STATUS, type ErrorCode, type ErrorDetail, type ErrorEnvelope } from '@vedette/shared'
import type { Refusal } from '../../platform/http/index.ts'

const REQUEST_ID = '6d2b2573-e844-45fd-8401-90f94946808a'
const RETRY = { 'Retry-After': 'RetryAfter' }

interface ErrorDescription {
  name: string
  description: string
  /** An example. */
  message: string
  details?: ErrorDetail[]
  headers?: Readonly<Record<string, string>>
}

/** One for each error status of operations. 405 is not among them: it belongs to a path, not to an operation. */
const ERRORS = {
  validation_error: {
    name: 'ValidationError',
    description: 'A parameter, the body or the HTTP request is invalid; `details` names each fault',
    message: 'query parameter limits: is unknown',
    details: [{ path: 'limits', message: 'is unknown' }],
  },
  unauthorized: {
    name: 'Unauthorized',
    description: 'The credentials are missing, wrong, expired or revoked, or there are two kinds of them',
    message: 'Missing or invalid credentials.',
    headers: { 'WWW-Authenticate': 'WwwAuthenticate' },
  },
  plan_limit_reached: {
    name: 'PlanLimitReached',
    description: 'The limit of the plan of the organization is reached; the message names the limit and its value',
    message: 'The plan free allows 5 servers.',
  },
  forbidden: {
    name: 'Forbidden',
    description: 'The credentials are valid but do not permit this',
    message: 'These credentials may not do this.',
  },
  not_found: {
    name: 'NotFound',
    description: 'The resource does not exist, or belongs to another organization',
    message: 'There is nothing here under this name.',
  },
  request_timeout: {
    name: 'RequestTimeout',
    description: 'The request took too long to arrive',
    message: 'The request took too long to arrive.',
  },
  conflict: {
    name: 'Conflict',
    description: 'The request conflicts with the present state',
    message: 'Vedette is already set up. Sign in instead.',
  },
  precondition_failed: {
    name: 'PreconditionFailed',
    description: 'The resource has changed since the version that `If-Match` names; `ETag` is that of the present one',
    message: 'The resource has changed since the version that If-Match names.',
    headers: { ETag: 'ETag' },
  },
  payload_too_large: {
    name: 'PayloadTooLarge',
    description: 'The body is larger than this endpoint accepts',
    message: 'The body is larger than this endpoint takes.',
  },
  uri_too_long: {
    name: 'UriTooLong',
    description: 'The URL has more than 8,192 characters',
    message: 'The URL is longer than 8192 characters.',
  },
  unsupported_media_type: {
    name: 'UnsupportedMediaType',
    description: 'The body is not JSON, or this endpoint does not support its content encoding',
    message: 'Bodies are JSON: send Content-Type: application/json.',
  },
  rate_limited: {
    name: 'RateLimited',
    description: 'Too many requests in this minute, or too many open streams',
    message: 'Too many requests. Try again in 42 s.',
    headers: RETRY,
  },
  headers_too_large: {
    name: 'HeadersTooLarge',
    description: 'The headers exceed 16 KiB in total',
    message: 'The headers are too large.',
  },
  internal_error: {
    name: 'InternalError',
    description: 'An internal error; the log contains it under the request id',
    message: 'Something went wrong on our side.',
  },
  unavailable: {
    name: 'Unavailable',
    description: 'The database is unavailable or overloaded: retry the same request after `Retry-After`',
    message: 'The service cannot reach its database right now. Please try again.',
    headers: RETRY,
  },
} satisfies Partial<Record<ErrorCode, ErrorDescription>>

export const ERROR_RESPONSES: Readonly<Record<number, Refusal>> = Object.fromEntries(
  (Object.entries(ERRORS) as [ErrorCode, ErrorDescription][]).map(
    ([code, { name, description, message, details, headers = {} }]) => {
      const error = { code, message, ...(details && { details }), request_id: REQUEST_ID }
      return [ERROR_STATUS[code], { name, description, headers, example: { error } satisfies ErrorEnvelope }]
    },
  ),
)
