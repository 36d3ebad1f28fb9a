import { createHash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Rendered } from '../render/rendered.ts'

/** One form of a page, ready to be sent. */
export interface View {
  type: string
  etag: string
  identity: Buffer
  gzip: Buffer
  br: Buffer
}

/** A view is made once and sent to many readers. Quality 5 takes some 2 ms for a page of 100 monitors. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

export function toView({ type, body }: Rendered): View {
  const identity = Buffer.from(body)
  const digest = createHash('sha256').update(identity).digest('base64url').slice(0, 22)
  return { type, etag: `"${digest}"`, identity, gzip: gzipSync(identity), br: brotliCompressSync(identity, BROTLI) }
}
