import { labelsInMarkup } from './markup-charset.ts'

const CHARSET = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;",]+))/i

/**
 * Decodes a body as browsers do: by its byte order mark, else by the charset of its content type, else by the one that an HTML or XML
 * document names itself, else as UTF-8. Invalid bytes become U+FFFD, and an unknown charset does not count: an assertion should fail
 * because of the content, not because of its label.
 */
export function decodeText(body: Uint8Array, contentType: string | undefined): string {
  const marked = labelOfMark(body)
  if (marked !== undefined) return new TextDecoder(marked).decode(body)
  const named = CHARSET.exec(contentType ?? '')
  const decoder = decoderOf(named?.[1] ?? named?.[2]) ?? decoderInMarkup(body, contentType) ?? new TextDecoder()
  return decoder.decode(body)
}

/** A document whose label was read as ASCII is not in UTF-16, whatever it says (HTML standard). */
function decoderInMarkup(body: Uint8Array, contentType: string | undefined): TextDecoder | undefined {
  const decoder = labelsInMarkup(body, contentType)
    .map(decoderOf)
    .find((each) => each !== undefined)
  return decoder?.encoding.startsWith('utf-16') === true ? undefined : decoder
}

function labelOfMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined
}

function decoderOf(label: string | undefined): TextDecoder | undefined {
  try {
    return label === undefined ? undefined : new TextDecoder(label)
  } catch {
    // RangeError: unknown charset.
    return undefined
  }
}
