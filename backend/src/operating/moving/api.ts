/** Where the API of a tool is, and how it knows who calls. */
export interface ApiOf {
  /** Undefined: each installation has its own address. */
  url: string | undefined
  /** Another address that it may have, for the message of a refused token. */
  otherUrl?: string
  /** The environment variables of its credentials, in the order of the words of a token file. */
  credentials: readonly string[]
  headers(credentials: readonly string[]): Record<string, string>
  /** Requests that are under way together. */
  atOnce: number
  /** The least time between two requests, where the tool says one. */
  everyMs?: number
}

export interface ApiClient {
  /** Of one list. */
  readonly maxPages: number
  /** The JSON of an answer. `path` begins with a slash, and may have a query. Throws SourceFault. */
  get(path: string): Promise<unknown>
  /** The same; undefined, and noted, where the account or the plan does not have it (402, 403, 404, 410). */
  find(path: string): Promise<unknown>
  /** All of them; as many at once as the API may be sent. */
  forEach<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void>
  /** Notes something that could not be read. */
  miss(what: string, why: string): void
  /** The path and query of a link to a next page. Throws SourceFault where it leads to another host. */
  pathOf(link: string): string
}

/** What a fetch did so far. */
export interface FetchCounts {
  requests: number
  bytes: number
  missed: { what: string; why: string }[]
}

/** What a client has around it; tests give their own time. */
export interface FetchPlatform {
  now(): number
  pause(ms: number): Promise<void>
  /** Before each request. */
  onRequest?: (path: string) => void
}

/** Saves an object of the source, without its secrets. Throws SourceFault. */
export type SaveFile = (path: string, content: unknown) => void
