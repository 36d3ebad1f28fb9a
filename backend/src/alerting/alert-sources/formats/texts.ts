import { MAX_URL_LENGTH } from '@vedette/shared'
import { cutText } from '../../../monitoring/checks/index.ts'

const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu

/** Nothing is to be done with such a text, as most are. */
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/

/** In one line. */
export const lineOf = (text: string, maxBytes: number): string => {
  if (text.length <= maxBytes && PLAIN.test(text)) return text
  // What is far beyond the bound is not looked at.
  const line = text
    .slice(0, 4 * maxBytes)
    .toWellFormed()
    .replaceAll(CONTROLS, ' ')
    .trim()
  return cutText(line, maxBytes)
}

/** Only pages are links. */
export function urlOf(text: string | null): string | null {
  if (text === null || text.length > MAX_URL_LENGTH || !URL.canParse(text)) return null
  const { protocol, href } = new URL(text)
  return protocol === 'http:' || protocol === 'https:' ? href : null
}
