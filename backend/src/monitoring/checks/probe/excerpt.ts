import { type CheckAnswer, truncateText } from '@vedette/shared'
import { MAX_ANSWER_BYTES, MAX_STATUS_LINE_LENGTH } from '@vedette/shared/checks/limits'
import { maskSecrets } from '../../../platform/logging/mask-secrets.ts'
import { decodeText } from '../evaluation/index.ts'

/** Bytes of a body that are examined: masking shortens the text, so more than the result holds. */
const EXAMINED_BYTES = 8 * MAX_ANSWER_BYTES

/** An excerpt of a response for people, without these secrets. `body` is undefined when none arrived completely. Pure. */
export function excerptOf(
  statusLine: string,
  body: { bytes: Uint8Array; contentType: string | undefined } | undefined,
  secrets: readonly string[],
): CheckAnswer {
  const status_line = truncateText(maskSecrets(readable(statusLine), secrets), MAX_STATUS_LINE_LENGTH)
  return { status_line, body: body ? cutText(maskSecrets(beginningOf(body), secrets), MAX_ANSWER_BYTES) : null }
}

function beginningOf({ bytes, contentType }: { bytes: Uint8Array; contentType: string | undefined }): string {
  const text = readable(decodeText(bytes.subarray(0, EXAMINED_BYTES), contentType))
  // The last word may be half of a secret.
  return bytes.length > EXAMINED_BYTES ? text.replace(/\S{1,4096}$/, '') : text
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
