import { type Static, Type } from 'typebox'
import { Nullable, Ref, Secret } from '../wire.ts'
import { Assertion } from './assertion.ts'
import { MAX_ASSERTIONS } from './assertion-types.ts'
import { CHECK_METHODS, TIMEOUT_SECONDS } from './limits.ts'

/** The kind of a check. The backend adds the list of its registry to the schema, so that a further kind changes nothing here. */
export const CheckTypeName = Type.Unsafe<string>({
  $id: 'CheckType',
  type: 'string',
  description: 'Kind of check; more may come',
})

export const CheckMethodName = Type.Enum([...CHECK_METHODS], { $id: 'CheckMethod' })

export const MAX_URL_LENGTH = 2_048
export const MAX_REQUEST_BODY_BYTES = 65_536
export const MAX_REQUEST_HEADERS = 50
export const MAX_HEADER_NAME_LENGTH = 256
export const MAX_HEADER_VALUE_LENGTH = 4_096

/** The fields of a check over HTTP with their bounds; `validateDefinition` checks the rest. */
export const HttpCheckFields = {
  url: Type.String({ minLength: 1, maxLength: MAX_URL_LENGTH, description: 'http or https URL without credentials' }),
  method: Ref(CheckMethodName),
  headers: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string', format: 'password', maxLength: MAX_HEADER_VALUE_LENGTH },
    maxProperties: MAX_REQUEST_HEADERS,
    description: 'names and values as in RFC 9110; hop-by-hop headers and Content-Length are refused',
  }),
  body: Nullable(Secret({ maxLength: MAX_REQUEST_BODY_BYTES, description: 'at most 64 KiB; not allowed with GET and HEAD' })),
  timeout: Type.Integer({
    minimum: TIMEOUT_SECONDS.minimum,
    maximum: TIMEOUT_SECONDS.maximum,
    'x-unit': 'seconds',
    description: 'seconds for the whole check, including redirects',
  }),
  follow_redirects: Type.Boolean({ description: 'follows at most 5 redirects' }),
  verify_tls: Type.Boolean(),
  assertions: Type.Array(Ref(Assertion), { maxItems: MAX_ASSERTIONS }),
}

/** The definition of one check as a probe receives it. */
export const CheckDefinition = Type.Object(
  { type: Ref(CheckTypeName), ...HttpCheckFields },
  { additionalProperties: false, $id: 'CheckDefinition' },
)
export type CheckDefinition = Static<typeof CheckDefinition>
