import { createHash } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'
import type { HttpAnswer, Transport } from '../push/transport.ts'
import { type Artefact, RejectedRelease } from './manifest.ts'

const MAX_MANIFEST_BYTES = 1_048_576
/** 43 MB at 0.6 Mbit/s. */
const DOWNLOAD_TIMEOUT_MS = 600_000
/** A mirror may redirect to a file store. */
const MAX_REDIRECTS = 3

type Sink = { maxBytes: number; write(piece: Buffer): void }

/** Follows redirects; throws unless the last answer is a 200. Never goes from HTTPS to HTTP. */
async function download(transport: Transport, address: string, sink: Sink): Promise<void> {
  let url = address
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const answer: HttpAnswer = await transport.send({ method: 'GET', url, timeoutMs: DOWNLOAD_TIMEOUT_MS, sink })
    if (!('body' in answer)) throw new Error(`cannot fetch ${url}: ${answer.reason}`)
    if (answer.status === 200) return
    const next = answer.status >= 301 && answer.status <= 308 ? URL.parse(answer.headers.location ?? '', url) : null
    if (!next || !/^https?:$/.test(next.protocol)) throw new Error(`cannot fetch ${url}: ${answer.status}`)
    if (url.startsWith('https:') && next.protocol !== 'https:') throw new Error(`${url} redirects to an unencrypted address`)
    url = next.href
  }
  throw new Error(`${address} redirects too often`)
}

export async function fetchBytes(transport: Transport, url: string): Promise<Buffer> {
  const pieces: Buffer[] = []
  await download(transport, url, { maxBytes: MAX_MANIFEST_BYTES, write: (piece) => pieces.push(piece) })
  return Buffer.concat(pieces)
}

/** Downloads a file of the release; throws RejectedRelease if it is not the signed one. */
export async function fetchArtefact(transport: Transport, url: string, artefact: Artefact, path: string): Promise<void> {
  const hash = createHash('sha256')
  let size = 0
  const fd = openSync(path, 'w', 0o600)
  try {
    const write = (piece: Buffer) => {
      hash.update(piece)
      size += piece.length
      writeSync(fd, piece)
    }
    await download(transport, url, { maxBytes: artefact.size, write })
  } finally {
    closeSync(fd)
  }
  if (size !== artefact.size || hash.digest('hex') !== artefact.sha256)
    throw new RejectedRelease(`${artefact.name} is not the signed file`)
}
