import { MAX_LOGO_BYTES } from '@vedette/shared'

/** The image of a data URI, decoded. */
export interface Logo {
  /** `image/png`. */
  type: string
  bytes: Buffer
}

const HEAD = /^data:(image\/[a-z+]+);base64,/

export function decodeLogo(uri: string): Logo | undefined {
  const [head, type] = HEAD.exec(uri) ?? []
  return head === undefined || type === undefined ? undefined : { type, bytes: Buffer.from(uri.slice(head.length), 'base64') }
}

const startsWith = (bytes: Buffer, text: string, at = 0): boolean => bytes.toString('latin1', at, at + text.length) === text

/** What the bytes are, whatever the data URI says. */
const IS_TYPE: Readonly<Record<string, (bytes: Buffer) => boolean>> = {
  'image/png': (bytes) => startsWith(bytes, '\x89PNG\r\n\x1a\n'),
  'image/jpeg': (bytes) => startsWith(bytes, '\xff\xd8\xff'),
  'image/gif': (bytes) => startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a'),
  'image/webp': (bytes) => startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8),
  'image/svg+xml': isSvg,
}

/** After an XML declaration, comments and a document type. */
const SVG_START = /^\uFEFF?\s*(?:<\?[^>]*>\s*|<!--[^]*?-->\s*|<!DOCTYPE[^>[]*>\s*)*<svg[\s>]/i

function isSvg(bytes: Buffer): boolean {
  try {
    return SVG_START.test(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    return false
  }
}

/**
 * Where programs, documents and entities may be in an SVG. Visitors are safe without this: a page shows it as an image, in which nothing
 * runs and nothing is loaded, and its own address has a policy that allows neither. It is refused for those who copy the file.
 */
const ACTIVE = /<!ENTITY|<(?:\w+:)?(?:script|foreignObject|iframe|handler)\b|\son\w+\s*=|javascript:/i

/** Why an image cannot be the logo of a page; undefined where it can. Pure. */
export function logoFault(uri: string | null): string | undefined {
  if (uri === null) return undefined
  const logo = decodeLogo(uri)
  if (!logo || IS_TYPE[logo.type]?.(logo.bytes) !== true) return 'must be an image of the type that its data URI names'
  if (logo.bytes.length > MAX_LOGO_BYTES) return `must have at most ${MAX_LOGO_BYTES} bytes`
  if (logo.type === 'image/svg+xml' && ACTIVE.test(logo.bytes.toString()))
    return 'must be an SVG without scripts, event handlers, entities and foreign objects'
  return undefined
}
