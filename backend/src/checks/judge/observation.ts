import { decodeText } from './decode-text.ts'

/** What a probe saw of a target that answered, as far as assertions may speak of it. A kind of check leaves null what it has not. */
export interface Observation {
  statusCode: number | null
  /** Milliseconds with three decimals, the sum of the phases. */
  responseMs: number
  /** By lower-case name; repeated ones are joined by `, `. */
  headers: ReadonlyMap<string, string>
  /** The body as text, at most 1 MiB of it; read once, when it is first asked for. */
  text(): string
  /** Whole and broken days until the target's certificate ends, negative behind it; null without TLS. */
  certificateDaysLeft: number | null
}

export interface Seen extends Omit<Observation, 'text'> {
  /** Inflated. */
  body: Uint8Array
}

export function createObservation({ body, ...seen }: Seen): Observation {
  let text: string | undefined
  return { ...seen, text: () => (text ??= decodeText(body, seen.headers.get('content-type'))) }
}
