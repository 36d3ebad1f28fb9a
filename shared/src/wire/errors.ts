import { type Static, Type } from 'typebox'
import { Ref } from './wire.ts'

/** Every error code that reaches a client, with its HTTP status. Clients branch on the code, never on the message. */
export const ERROR_STATUS = {
  validation_error: 400,
  series_limit: 400,
  unauthorized: 401,
  totp_required: 401,
  plan_limit_reached: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  unavailable: 503,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS

export const ErrorDetail = Type.Object(
  {
    path: Type.String({ description: 'dotted (`samples.3.cpu`), empty for the whole' }),
    message: Type.String(),
  },
  { $id: 'ErrorDetail', description: 'A part of the request that is invalid, or the id of the resource that it created before' },
)
export type ErrorDetail = Static<typeof ErrorDetail>

/** The one envelope of all errors. */
export const ErrorEnvelope = Type.Object(
  {
    error: Type.Object({
      code: Type.Enum(Object.keys(ERROR_STATUS) as ErrorCode[], { description: 'for programs to branch on' }),
      message: Type.String({ description: 'for people; its wording may change' }),
      details: Type.Optional(
        Type.Array(Ref(ErrorDetail), {
          description: 'with a `validation_error`, and with the `conflict` of a repeat whose response contained a secret',
        }),
      ),
      request_id: Type.String({ description: 'the `X-Request-Id` of the response' }),
    }),
  },
  { $id: 'Error', description: 'An error' },
)
export type ErrorEnvelope = Static<typeof ErrorEnvelope>
