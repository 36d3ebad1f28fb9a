import { Type } from 'typebox'
import { Nullable, Ref, Secret } from '../../wire/wire.ts'
import { Assertion } from './assertion.ts'
import { MAX_ASSERTIONS } from './assertion-types.ts'
import type { CHECK_TYPES, CheckTypeId, CredentialValues, OptionValues } from './kinds/index.ts'
import type { NetworkOptions } from './network/options.ts'
import {
  CHECK_METHODS,
  type CheckMethod,
  MAX_CREDENTIALS,
  MAX_HEADER_VALUE_LENGTH,
  MAX_OPTIONS,
  MAX_REQUEST_BODY_BYTES,
  MAX_REQUEST_HEADERS,
  MAX_URL_LENGTH,
  TIMEOUT_SECONDS,
} from './limits.ts'

/** The kind of a check. The backend publishes the list of today; a client must accept further ones. */
export const CheckTypeName = Type.Unsafe<string>({
  $id: 'CheckType',
  type: 'string',
  description: 'Kind of check; more may come',
})

export const CheckMethodName = Type.Enum([...CHECK_METHODS], { $id: 'CheckMethod' })

/** The fields of a check with their bounds; `validateDefinition` checks the rest. */
export const MonitorCheckFields = {
  url: Type.String({
    minLength: 1,
    maxLength: MAX_URL_LENGTH,
    description: 'by the kind of check, as https://… or tcp://host:port; without credentials',
    examples: ['https://shop.example.com/health'],
  }),
  method: Ref(CheckMethodName),
  headers: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string', format: 'password', maxLength: MAX_HEADER_VALUE_LENGTH },
    maxProperties: MAX_REQUEST_HEADERS,
    description: 'names and values as in RFC 9110; hop-by-hop headers and Content-Length are refused',
    examples: [{ Authorization: 'Bearer abc' }],
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
  assertions: Type.Array(Ref(Assertion), {
    maxItems: MAX_ASSERTIONS,
    examples: [[{ type: 'json_path', property: '$.status', operator: 'equals', value: 'ok' }]],
  }),
}

/** The fields that a check of any kind may have; `validateDefinition` checks them by the table of kinds. */
export const KindFields = {
  options: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    maxProperties: MAX_OPTIONS,
    description: 'what a kind of check has in addition to the common fields; replaced as a whole, with its defaults filled in',
  }),
  credentials: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string', format: 'password', maxLength: MAX_REQUEST_BODY_BYTES },
    maxProperties: MAX_CREDENTIALS,
    description: 'user names and secrets of a kind of check, stored encrypted; replaced as a whole',
  }),
}

/** What each check has. `options` contain the defaults. */
interface CheckFields {
  url: string
  /** Seconds. */
  timeout: number
  assertions: Assertion[]
}

interface HttpFields {
  method: CheckMethod
  headers: Record<string, string>
  body: string | null
  follow_redirects: boolean
  verify_tls: boolean
}

type Kinds = typeof CHECK_TYPES

/** The definition of a check of one kind, as a probe receives it. */
export type DefinitionOf<Type extends CheckTypeId> = CheckFields &
  (Type extends 'http' ? HttpFields : unknown) & {
    type: Type
    options: OptionValues<Kinds[Type]['options']> & NetworkOptions
    credentials: CredentialValues<Kinds[Type]['credentials']> & { readonly proxy_password?: string }
  }

/** The definition of one check as a probe receives it: a union by `type`. */
export type CheckDefinition = { [Type in CheckTypeId]: DefinitionOf<Type> }[CheckTypeId]
