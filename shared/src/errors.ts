import { type Static, Type } from 'typebox'

/** Every error code that reaches a client, with its HTTP status. Clients branch on the code, never on the message. */
export const ERROR_STATUS = {
  validation_error: 400,
  unauthorized: 401,
  totp_required: 401,
  plan_limit_reached: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  payload_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  unavailable: 503,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS

/** Where a request is wrong: `path` is dotted (`samples.3.cpu`), empty for the whole body. */
export const ErrorDetail = Type.Object({ path: Type.String(), message: Type.String() })
export type ErrorDetail = Static<typeof ErrorDetail>

/** The one envelope of all errors; `details` comes with `validation_error` only. */
export const ErrorEnvelope = Type.Object(
  {
    error: Type.Object({
      code: Type.Enum(Object.keys(ERROR_STATUS) as ErrorCode[]),
      message: Type.String(),
      details: Type.Optional(Type.Array(ErrorDetail)),
      request_id: Type.String(),
    }),
  },
  { $id: 'Error' },
)
export type ErrorEnvelope = Static<typeof ErrorEnvelope>
