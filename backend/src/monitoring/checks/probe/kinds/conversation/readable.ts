import { truncateText } from '@vedette/shared'

/** Control characters affect terminals, and the database rejects NUL. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROLS = /[\0-\x1f\x7f-\x9f]+/g

/** A text of a target for people: one line with at most `maxLength` characters. */
export function readable(text: string | Buffer, maxLength = 200): string {
  const whole = typeof text === 'string' ? truncateText(text, 4 * maxLength) : text.toString('utf8', 0, 4 * maxLength)
  return truncateText(whole.replaceAll(CONTROLS, ' ').trim(), maxLength, '…')
}
