/** What is read of a mail: headers in small letters, decoded, and its text. Attachments are not read. */
export interface MailMessage {
  /** The first header of each name. */
  headers: ReadonlyMap<string, string>
  /** Of the first part that is text; of HTML what it shows. Empty where there is none. */
  text: string
}

export const MAX_TEXT_BYTES = 262_144
const MAX_HEADERS = 500
const MAX_HEADER_LENGTH = 4_096
/** Parts that are visited, and how deep one is in another. */
const MAX_PARTS = 100
const MAX_DEPTH = 8
const ENCODED_WORD = /=\?([\w-]{1,40})(?:\*[\w-]{1,20})?\?([bq])\?([^?\s]{0,2000})\?=/gi
/** Blanks between two encoded words are not part of the text (RFC 2047). */
const BETWEEN_WORDS = /(\?=)\s{1,100}(?==\?[\w*-]{1,60}\?[bq]\?)/gi
const PARAMETER = /;\s{0,20}([\w*-]{1,40})\s{0,20}=\s{0,20}(?:"([^"]{0,500})"|([^\s;"]{1,500}))/g
/** Elements whose text nobody sees. */
const HIDDEN = /<(style|script|head)\b/gi
const LINE_ENDS = /<(?:br|\/p|\/div|\/tr|\/li|\/h[1-6])\b[^<>]{0,1000}>/gi
const TAGS = /<[!/?a-z][^<>]{0,10000}>/gi
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', amp: '&' }

/** Reads a mail (RFC 5322, MIME) without failing: what it does not understand is left out. Pure. */
export function readMessage(raw: Buffer): MailMessage {
  // One unit a byte, so that positions are those of the bytes.
  const whole = raw.toString('latin1')
  const { headers, body } = splitPart(whole)
  const decoded = new Map([...headers].map(([name, value]) => [name, decodeHeader(value)]))
  return { headers: decoded, text: textOfPart(headers, body, { depth: 0, left: MAX_PARTS }) ?? '' }
}

function splitPart(part: string): { headers: Map<string, string>; body: string } {
  const end = /^\r?\n|\r?\n\r?\n/.exec(part)
  const head = end ? part.slice(0, end.index) : part
  const headers = new Map<string, string>()
  const lines = head.replaceAll(/\r?\n[ \t]+/g, ' ').split(/\r?\n/, MAX_HEADERS)
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).trim().toLowerCase()
    if (colon > 0 && !headers.has(name)) headers.set(name, line.slice(colon + 1, colon + 1 + MAX_HEADER_LENGTH).trim())
  }
  return { headers, body: end ? part.slice(end.index + end[0].length) : '' }
}

interface Budget {
  depth: number
  left: number
}

/** The first text/plain in a part; where there is none the first text/html. Undefined where it has no text. */
function textOfPart(headers: ReadonlyMap<string, string>, body: string, budget: Budget): string | undefined {
  const type = (headers.get('content-type') ?? 'text/plain').toLowerCase()
  if (/^attachment\b/i.test(headers.get('content-disposition') ?? '')) return undefined
  const parameters = parametersOf(headers.get('content-type') ?? '')
  const boundary = parameters.get('boundary')
  if (type.startsWith('multipart/') && boundary !== undefined) return textOfParts(body, boundary, budget)
  if (!/^text\/(?:plain|html)\b/.test(type)) return undefined
  const bytes = decodeTransfer(body.slice(0, 2 * MAX_TEXT_BYTES), headers.get('content-transfer-encoding') ?? '')
  const text = decodeCharset(bytes.subarray(0, MAX_TEXT_BYTES), parameters.get('charset') ?? 'utf-8')
  return type.startsWith('text/html') ? htmlToText(text) : text
}

function textOfParts(body: string, boundary: string, budget: Budget): string | undefined {
  if (budget.depth === MAX_DEPTH) return undefined
  let html: string | undefined
  for (const part of partsOf(body, boundary)) {
    if (budget.left === 0) break
    budget.left -= 1
    const { headers, body: inner } = splitPart(part)
    const text = textOfPart(headers, inner, Object.assign(budget, { depth: budget.depth + 1 }))
    budget.depth -= 1
    if (text === undefined) continue
    if (!/^text\/html\b/i.test(headers.get('content-type') ?? '')) return text
    html ??= text
  }
  return html
}

/** What stands between the lines of a boundary; the last one may be missing, where the mail was cut. */
function* partsOf(body: string, boundary: string): Generator<string> {
  const mark = `--${boundary}`
  let start = -1
  for (let at = body.startsWith(mark) ? 0 : body.indexOf(`\n${mark}`); at >= 0; at = body.indexOf(`\n${mark}`, at + 1)) {
    if (start >= 0) yield body.slice(start, at).replace(/\r$/, '')
    const markEnd = at + (at === 0 && body.startsWith(mark) ? 0 : 1) + mark.length
    if (body.startsWith('--', markEnd)) return
    const lineEnd = body.indexOf('\n', markEnd)
    if (lineEnd < 0) return
    start = lineEnd + 1
  }
  if (start >= 0) yield body.slice(start)
}

const parametersOf = (header: string): Map<string, string> =>
  new Map([...header.matchAll(PARAMETER)].map(([, name = '', quoted, plain]) => [name.toLowerCase(), quoted ?? plain ?? '']))

function decodeTransfer(body: string, encoding: string): Buffer {
  const name = encoding.toLowerCase().trim()
  if (name === 'base64') return Buffer.from(body, 'base64')
  return Buffer.from(name === 'quoted-printable' ? decodeQuoted(body.replaceAll(/=[ \t]{0,100}\r?\n/g, '')) : body, 'latin1')
}

const decodeQuoted = (text: string): string =>
  text.replaceAll(/=([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** What is no known charset is read as UTF-8, whose wrong bytes are replaced. */
function decodeCharset(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

/** A header with its encoded words; without any it is UTF-8 (RFC 6532). */
function decodeHeader(value: string): string {
  const text = decodeCharset(Buffer.from(value, 'latin1'), 'utf-8')
  return text.replaceAll(BETWEEN_WORDS, '$1').replaceAll(ENCODED_WORD, (_all, charset: string, kind: string, word: string) => {
    const bytes =
      kind.toLowerCase() === 'b' ? Buffer.from(word, 'base64') : Buffer.from(decodeQuoted(word.replaceAll('_', ' ')), 'latin1')
    return decodeCharset(bytes, charset)
  })
}

function htmlToText(html: string): string {
  const shown = withoutHidden(html).replaceAll(/\s+/g, ' ')
  return shown
    .replaceAll(LINE_ENDS, '\n')
    .replaceAll(TAGS, ' ')
    .replaceAll(/&(lt|gt|quot|apos|nbsp|amp);/g, (_all, name: string) => ENTITIES[name] ?? ' ')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/ ?\n[ \n]*/g, '\n')
    .trim()
}

/** One element after the other, so that many without an end take no longer than one. */
function withoutHidden(html: string): string {
  let shown = ''
  let start = 0
  for (let begin = searchFrom(HIDDEN, html, 0); begin; begin = searchFrom(HIDDEN, html, start)) {
    shown += html.slice(start, begin.index)
    const end = searchFrom(new RegExp(`</${begin[1]}\\b[^>]{0,1000}>?`, 'gi'), html, begin.index)
    if (!end) return shown
    start = end.index + end[0].length
  }
  return shown + html.slice(start)
}

function searchFrom(pattern: RegExp, text: string, from: number): RegExpExecArray | null {
  pattern.lastIndex = from
  return pattern.exec(text)
}
