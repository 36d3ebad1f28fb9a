import { HTML_ENTITIES } from '../../../platform/escape-html.ts'

/** Text for HTML, XML and their attributes. Characters that XML does not allow are left out. */
export const escape = (text: string): string =>
  // Most texts have none of them.
  SPECIAL.test(text) ? text.replaceAll(ALL_SPECIAL, (character) => HTML_ENTITIES[character] ?? '') : text

// oxlint-disable-next-line no-control-regex -- these are the characters that XML 1.0 does not allow
const SPECIAL = /[&<>"'\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/
const ALL_SPECIAL = new RegExp(SPECIAL, 'g')

/** Plain text with its paragraphs and line ends. */
export const paragraphs = (text: string): string =>
  text
    .split(/\n{2,}/)
    .map((paragraph) => `<p dir="auto">${escape(paragraph).replaceAll('\n', '<br>')}</p>`)
    .join('')
