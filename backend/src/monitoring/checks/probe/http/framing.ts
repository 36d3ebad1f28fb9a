import { type Head, ProtocolFault } from './head.ts'

/** How the end of a body is determined. */
export type Framing = { kind: 'none' } | { kind: 'length'; bytes: number } | { kind: 'chunked' } | { kind: 'close' }

/** RFC 9112, section 6.3, for responses. */
export function framingOf({ statusCode, headers }: Head, method: string): Framing {
  if (method === 'HEAD' || statusCode === 204 || statusCode === 304) return { kind: 'none' }
  const coding = headers.get('transfer-encoding')
  if (coding !== undefined) return /(?:^|,)\s*chunked\s*$/i.test(coding) ? { kind: 'chunked' } : { kind: 'close' }
  const length = headers.get('content-length')
  if (length === undefined) return { kind: 'close' }
  const [first = '', ...others] = length.split(',').map((part) => part.trim())
  // Two proxies may each have added the same one.
  if (!/^\d{1,15}$/.test(first) || others.some((other) => other !== first))
    throw new ProtocolFault('the answer has a broken content-length')
  return { kind: 'length', bytes: Number(first) }
}
