import { type CheckAnswer, truncateText } from '@vedette/shared'
import { MAX_ANSWER_BYTES, MAX_STATUS_LINE_LENGTH } from '@vedette/shared/checks/limits'
import { maskSecrets } from '../../../platform/logging/mask-secrets.ts'
import { decodeText } from '../evaluation/index.ts'

/** How much more of a body is examined than the result holds: masking shortens the text. */
const EXAMINED_TIMES = 8

/** An excerpt of a response for people, without these secrets. At most `maxBytes` of the body, and as `whole` where that is more than 1 KiB. `body` is undefined when none arrived completely. Pure. */
export function excerptOf(
  statusLine: string,
  body: { bytes: Uint8Array; contentType: string | undefined } | undefined,
  secrets: readonly string[],
  maxBytes: number = MAX_ANSWER_BYTES,
): CheckAnswer {
  const status_line = truncateText(maskSecrets(readable(statusLine), secrets), MAX_STATUS_LINE_LENGTH)
  if (!body) return { status_line, body: null }
  const whole = cutText(maskSecrets(beginningOf(body, EXAMINED_TIMES * Math.max(maxBytes, MAX_ANSWER_BYTES)), secrets), maxBytes)
  const excerpt = cutText(whole, MAX_ANSWER_BYTES)
  return { status_line, body: excerpt, ...(excerpt.length < whole.length && { whole }) }
}

function beginningOf({ bytes, contentType }: { bytes: Uint8Array; contentType: string | undefined }, examined: number): string {
  const text = readable(decodeText(bytes.subarray(0, examined), contentType))
  // The last word may be half of a secret.
  return bytes.length > examined ? text.replace(/\S{1,4096}$/, '') : text
}

/** Line breaks and tabs stay. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g

/** A text for people: control characters affect terminals, and the database rejects NUL. */
export const readable = (text: string): string => text.replaceAll(CONTROLS, (one) => (one === '\r' ? '' : '\uFFFD'))

/** The first bytes of a text, without a character that the cut splits. */
export function cutText(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  return bytes.length <= maxBytes ? text.toWellFormed() : new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true })
}
