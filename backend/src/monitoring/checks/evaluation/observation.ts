import { decodeText } from './decode-text.ts'

/**
 * What a probe observed of a target that responded, as far as assertions need it. Fields that a kind of check does not have are
 * null.
 */
export interface Observation {
  statusCode: number | null
  /** Milliseconds with three decimals, the sum of the phases. */
  responseMs: number
  /** By lower-case name; repeated headers are joined by `, `. */
  headers: ReadonlyMap<string, string>
  /** The body as text, at most 1 MiB; decoded once, at the first call. */
  text(): string
  /** Of the body, decompressed. */
  bodyBytes?: number
  /** Of the last request over HTTP; null where the kind sends none. */
  url?: string | null
  /** Days until the target's certificate expires, with fractions, negative once it has expired; null without TLS. */
  certificateDaysLeft: number | null
  /** What the kind of check reports in addition to its times, by the names of its table. */
  facts: Readonly<Record<string, number | string>>
}

export interface RawObservation extends Omit<Observation, 'text' | 'bodyBytes'> {
  /** Decompressed. */
  body: Uint8Array
}

export function createObservation({ body, ...seen }: RawObservation): Observation {
  let text: string | undefined
  return { ...seen, bodyBytes: body.length, text: () => (text ??= decodeText(body, seen.headers.get('content-type'))) }
}
