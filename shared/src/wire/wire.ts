import { type Static, type TInteger, type TSchema, type TStringOptions, Type } from 'typebox'

/**
 * `schema` or null, as a type union (`"type": ["number", "null"]`), which OpenAPI 3.1 and the serializer both read cheaply. With
 * `null` as second argument that is its example.
 */
export function Nullable<T extends TSchema>(schema: T, ...examples: [null?]) {
  const { type } = schema as unknown as { type: string }
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [type, 'null'], ...(examples.length > 0 && { examples }) })
}

/** Where a reference keeps its schema, for `referred`: no part of the published description. */
const TARGET = Symbol('target')

/** A reference to a named schema (one with `$id`), so that the published description names it once. */
export function Ref<T extends TSchema>(schema: T) {
  const { $id } = schema as unknown as { $id: string }
  return Type.Unsafe<Static<T>>({ $ref: `${$id}#`, [TARGET]: schema })
}

/** All schemas to which a schema refers, each once. */
export function referred(schema: object, found: Set<TSchema> = new Set()): Set<TSchema> {
  const target = (schema as { [TARGET]?: TSchema })[TARGET]
  if (target && !found.has(target)) referred(target, found.add(target))
  for (const part of Object.values(schema) as unknown[]) if (typeof part === 'object' && part !== null) referred(part, found)
  return found
}

/** At least one character that can be seen. */
export const VISIBLE_PATTERN = '[^\\s\\u00ad\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2064\\u2800\\u3164\\ufeff]'

/** A text that people type. It is stored as sent, with the blanks at its ends; one of blanks only is refused. */
export const VisibleText = (maxLength: number, options: { description?: string; examples?: string[] } = {}) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: VISIBLE_PATTERN,
    'x-form': 'a text with at least one visible character',
    ...options,
  })

/** A text that only its owner may read. `password` is OpenAPI's format for it; `secretFields` lists every field that has it. */
export const Secret = (options: TStringOptions = {}) => Type.String({ format: 'password', ...options })

/** ISO 8601 in UTC with milliseconds and `Z`. */
export const Timestamp = Type.String({ format: 'date-time', examples: ['2026-11-21T09:11:14.000Z'] })
/** The same, of what ends a week after the other examples. */
export const LaterTimestamp = { ...Timestamp, examples: ['2026-11-28T09:11:14.000Z'] }

/** What several answers say, each with its example. */
export const EmailText = Type.String({ examples: ['ada@example.com'] })
export const TimeZoneName = Type.String({ examples: ['Europe/Berlin'] })
export const UserAgentText = Type.String({ examples: ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'] })

/** A local time of day, `09:00`. */
export const ClockTime = (description: string, example: string) =>
  Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description, examples: [example] })

/** An instant or a day in a request: the backend says what it does not understand. */
export const InstantText = (description: string, ...examples: string[]) =>
  Type.String({ minLength: 1, maxLength: 64, description, ...(examples.length > 0 && { examples }) })

/** Milliseconds since the epoch as the wire writes them. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString()
}

/** The largest page: with `limit` 100 the offset stays far below what Postgres refuses. */
export const MAX_PAGE = 1_000_000

/** How many items a page may have, and has without being asked. */
export const PageLimit = (normal: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: normal, description: 'Maximum number of items on a page' }))

export const PageQuery = {
  page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE,
      default: 1,
      description: 'Number of the page, from 1; a page past the end is empty',
    }),
  ),
  limit: PageLimit(20),
}

export const Untagged = Type.Optional(Type.Boolean({ description: '`true`: only those without a tag' }))

/** How many items there are of each status, whatever status was asked for. */
export const Counts = <Status extends string>(statuses: readonly Status[]) =>
  Type.Optional(
    Type.Object(
      Object.fromEntries(statuses.map((status) => [status, Type.Integer({ minimum: 0 })])) as Record<Status, TInteger>,
      {
        description: 'with `include=counts`: items by status that match all filters but `status`',
      },
    ),
  )

export const PageAnswer = {
  total: Type.Integer({ minimum: 0, description: 'number of items on all pages', examples: [1] }),
  page: Type.Integer({ minimum: 1 }),
  limit: Type.Integer({ minimum: 1, examples: [20] }),
}
