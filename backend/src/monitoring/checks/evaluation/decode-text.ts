const CHARSET = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i

/**
 * Decodes a body: by its byte order mark, else by the charset of its content type, else as UTF-8, as browsers do. Invalid bytes
 * become U+FFFD, and an unknown charset is read as UTF-8: an assertion should fail because of the content, not because of its
 * label.
 */
export function decodeText(body: Uint8Array, contentType: string | undefined): string {
  const marked = labelOfMark(body)
  if (marked !== undefined) return new TextDecoder(marked).decode(body)
  const named = CHARSET.exec(contentType ?? '')
  return decoderOf(named?.[1] ?? named?.[2]).decode(body)
}

function labelOfMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined
}

function decoderOf(label: string | undefined): TextDecoder {
  try {
    return new TextDecoder(label ?? 'utf-8')
  } catch {
    // RangeError: unknown charset.
    return new TextDecoder()
  }
}
