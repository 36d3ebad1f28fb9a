import { type CheckDefinition, checkKindSpec, type DefinitionOf, sentTexts } from '@vedette/shared'

/** Shorter values are not secret and would match everywhere. */
const LEAST_LENGTH = 4
/** Minimum length of the parts of a value, which may be words. */
const LEAST_PIECE_LENGTH = 6
const NAMES_A_SECRET = /auth|cookie|token|key|secret|session|passw|credential|signature/i

/** Of any kind; the fields of HTTP are absent elsewhere. */
export type SecretParts = Partial<
  Pick<CheckDefinition, 'type' | 'options' | 'credentials'> & Pick<DefinitionOf<'http'>, 'headers' | 'body'>
>

/**
 * Values in a request that may be secret: credentials, header values, the body and texts of options, and the parts of headers whose
 * name suggests a secret. Pure.
 */
export function sentSecrets({ type = 'http', options = {}, headers = {}, body = null, credentials = {} }: SecretParts): string[] {
  const given: string[] = [...Object.values(credentials), ...sentTexts(checkKindSpec(type), options).map(({ text }) => text)]
  const whole = [...given, ...Object.values(headers), ...(body === null ? [] : [body.trim()])]
  const pieces = Object.entries(headers).flatMap(([name, value]) => (NAMES_A_SECRET.test(name) ? piecesOf(value) : []))
  const inBody = body === null ? [] : secretsInBody(body)
  return [
    ...whole.filter(({ length }) => length >= LEAST_LENGTH),
    ...[...pieces, ...inBody].filter(({ length }) => length >= LEAST_PIECE_LENGTH),
  ]
}

/** `Bearer x`, `Basic x` and its decoded content, `a=x; b=y`. */
function piecesOf(value: string): string[] {
  const parts = value.split(/[\s,;]+/).flatMap((part) => [part, part.replace(/^[^=]*=(?!=*$)/, '').replaceAll('"', '')])
  const basic = /^basic\s+([\w+/=-]+)$/i.exec(value)?.[1]
  if (basic === undefined) return parts
  const plain = Buffer.from(basic, 'base64').toString()
  return [...parts, plain, plain.slice(plain.indexOf(':') + 1)]
}

function secretsInBody(body: string): string[] {
  try {
    return leavesOf(JSON.parse(body))
  } catch {
    return [...new URLSearchParams(body)].flatMap(([name, value]) => (NAMES_A_SECRET.test(name) ? [value] : []))
  }
}

/** A limit of recursion. */
const MAX_DEPTH = 20

function leavesOf(value: unknown, name = '', depth = 0): string[] {
  if (typeof value === 'string') return NAMES_A_SECRET.test(name) ? [value] : []
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return []
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, Array.isArray(value) ? name : key, depth + 1))
}
