import { TEXT_ESCAPES } from '@vedette/shared'

const ESCAPES: Readonly<Record<string, string>> = { r: '\r', n: '\n', t: '\t', '0': '\0', '\\': '\\' }

/** The bytes of a text in which `\r`, `\n`, `\t`, `\0`, `\\` and `\xHH` are escapes; everything else is UTF-8. Pure. */
export function bytesOfText(text: string): Buffer {
  const pieces: Buffer[] = []
  let from = 0
  for (const { 0: escape, index } of text.matchAll(TEXT_ESCAPES)) {
    const byte = escape[1] === 'x' ? Number.parseInt(escape.slice(2), 16) : (ESCAPES[escape[1] as string] as string).charCodeAt(0)
    pieces.push(Buffer.from(text.slice(from, index)), Buffer.from([byte]))
    from = index + escape.length
  }
  return Buffer.concat([...pieces, Buffer.from(text.slice(from))])
}
