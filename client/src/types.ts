import type { Route, ROUTES } from './routes.ts'
import type { Wire } from './wire.ts'

/** How one call is made. */
export interface CallOptions {
  /** Ends the call, its repeats and the waits between them; the call then throws the signal's reason. */
  signal?: AbortSignal | undefined
  /** Time for each try, its answer read whole, in ms; by default the client's. Infinity: no limit. */
  timeoutMs?: number | undefined
  /**
   * How often a call that failed in passing is made again: no answer came, or one of 429, 502, 503, 504 or with `Retry-After`,
   * which is waited for. By default the client's. Without effect where a repeat could do something twice: only GET is repeated,
   * and what was given an `idempotencyKey`.
   */
  retries?: number | undefined
  /** The organization that a user's request acts in, by default the client's. */
  organizationId?: string | undefined
}

/** Of calls that make something. */
export interface CreatingOptions extends CallOptions {
  /** 1 to 255 printable ASCII characters: under the same one the same call makes nothing again for 24 hours. */
  idempotencyKey?: string | undefined
}

/** Of calls that change or delete one resource. */
export interface ChangingOptions extends CallOptions {
  /** What `etagOf` gave for the version that is changed; the call fails with `precondition_failed` (412) once it was changed. */
  ifMatch?: string | undefined
}

/** What the last answer said of the limit that its request counted against. */
export interface RateLimit {
  /** Requests a minute. */
  limit: number
  remaining: number
  resetAt: Date
}

type PathArguments<Path extends string> = Path extends `${string}:${infer Tail}`
  ? [id: string, ...(Tail extends `${string}/${infer Rest}` ? PathArguments<Rest> : [])]
  : []
type BodyArguments<R extends Route> = R extends { body: infer Name extends keyof Wire } ? [body: Wire[Name]] : []
/** A parameter that may be repeated takes one value as well. */
type OneOrMany<Query> = {
  [Name in keyof Query]: Query[Name] | (NonNullable<Query[Name]> extends readonly (infer One)[] ? One : never)
}
type QueryOf<R extends Route> = R extends { query: infer Name extends keyof Wire } ? OneOrMany<Wire[Name]> : never
type QueryArguments<R extends Route> = R extends { query: string } ? [query?: QueryOf<R>] : []
type OptionsOf<R extends Route> = R extends { repeatable: true }
  ? CreatingOptions
  : R extends { method: 'PATCH' | 'DELETE' }
    ? ChangingOptions
    : CallOptions

/** What a route answers with; undefined where there is nothing to read. */
type AnswerOf<R extends Route> = R extends { answer: infer Name extends keyof Wire }
  ? Wire[Name]
  : R extends { answer: readonly (infer Name extends keyof Wire)[] }
    ? Wire[Name]
    : undefined

/** The method of a route with texts: the `format` decides the answer. */
type TextMethod<R extends Route, Format> = {
  (...rest: [...PathArguments<R['path']>, query: QueryOf<R> & { format: Format }, options?: OptionsOf<R>]): Promise<string>
  (...rest: [...PathArguments<R['path']>, query?: QueryOf<R> & { format?: 'json' }, options?: OptionsOf<R>]): Promise<AnswerOf<R>>
}

/** The method that calls a route. */
type Method<R extends Route> = R extends { texts: readonly (infer Format)[] }
  ? TextMethod<R, Format>
  : (
      ...rest: [...PathArguments<R['path']>, ...BodyArguments<R>, ...QueryArguments<R>, options?: OptionsOf<R>]
    ) => Promise<AnswerOf<R>>

/** What a list is a list of: the items of the one field that is an array. */
type ItemOf<Answer> = { [Field in keyof Answer]-?: Answer[Field] extends readonly (infer Item)[] ? Item : never }[keyof Answer]

/**
 * All items of a list, page after page, each once. What is added meanwhile may be missed, and so may what moves to a page that
 * was read already when something is removed.
 */
type All<R extends Route> = (
  ...rest: [...PathArguments<R['path']>, query?: Omit<QueryOf<R>, 'page'>, options?: CallOptions]
) => AsyncGenerator<ItemOf<AnswerOf<R>>, undefined>

type Noun<Routes extends Readonly<Record<string, Route>>> = {
  readonly [Verb in keyof Routes]: Method<Routes[Verb]>
} & (Routes extends {
  list: infer List extends Route
}
  ? { readonly all: All<List> }
  : unknown)

/** A method for each published route, by noun and verb. */
export type Client = { readonly [Name in keyof typeof ROUTES]: Noun<(typeof ROUTES)[Name]> } & {
  /** What the newest answer said of the rate limit; undefined before the first one, and where a browser hides its headers. */
  readonly rateLimit: RateLimit | undefined
}
