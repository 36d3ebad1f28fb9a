import { type Static, Type } from 'typebox'
import { Nullable, Ref } from '../wire.ts'
import { Assertion, MAX_ASSERTIONS } from './assertion.ts'

/**
 * The kind of a check. Which ones there are is known where they are made: the backend adds the list of its registry, so that
 * a further kind changes nothing here.
 */
export const CheckTypeName = Type.Unsafe<string>({
  $id: 'CheckType',
  type: 'string',
  description: 'Kind of check; more may come',
})

export const CHECK_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
export type CheckMethod = (typeof CHECK_METHODS)[number]
export const CheckMethodName = Type.Enum([...CHECK_METHODS], { $id: 'CheckMethod' })

export const MAX_URL_LENGTH = 2_048
export const MAX_REQUEST_BODY_BYTES = 65_536
export const MAX_REQUEST_HEADERS = 50
export const MAX_HEADER_NAME_LENGTH = 256
export const MAX_HEADER_VALUE_LENGTH = 4_096
export const TIMEOUT_SECONDS = { minimum: 1, maximum: 60, default: 10 } as const

/** The fields of a check over HTTP, each with its bounds; what a schema cannot say is in `definitionFaults`. */
export const HttpCheckFields = {
  url: Type.String({ minLength: 1, maxLength: MAX_URL_LENGTH, description: 'http or https, without credentials' }),
  method: Ref(CheckMethodName),
  headers: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string', maxLength: MAX_HEADER_VALUE_LENGTH },
    maxProperties: MAX_REQUEST_HEADERS,
    description: 'names and values as RFC 9110 has them; hop-by-hop headers and Content-Length are refused',
  }),
  body: Nullable(Type.String({ maxLength: MAX_REQUEST_BODY_BYTES, description: 'at most 64 KiB; not with GET and HEAD' })),
  timeout: Type.Integer({
    minimum: TIMEOUT_SECONDS.minimum,
    maximum: TIMEOUT_SECONDS.maximum,
    description: 'seconds for the whole check, redirects included',
  }),
  follow_redirects: Type.Boolean({ description: 'at most 5' }),
  verify_tls: Type.Boolean(),
  assertions: Type.Array(Ref(Assertion), { maxItems: MAX_ASSERTIONS }),
}

/** One check as a probe is told to make it. */
export const CheckDefinition = Type.Object(
  { type: Ref(CheckTypeName), ...HttpCheckFields },
  { additionalProperties: false, $id: 'CheckDefinition' },
)
export type CheckDefinition = Static<typeof CheckDefinition>
