import { createHash } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'
import type { HttpAnswer, Transport } from '../transport.ts'
import { type Artefact, Refused } from './manifest.ts'

const MAX_MANIFEST_BYTES = 1_048_576
/** 43 MB at 0.6 Mbit/s. */
const DOWNLOAD_TIMEOUT_MS = 600_000
/** A mirror behind a service that keeps files elsewhere. */
const MAX_REDIRECTS = 3

type Sink = { maxBytes: number; write(piece: Buffer): void }

/** Asks until it is told no other address; throws unless there is a 200. Never goes from HTTPS to HTTP. */
async function get(transport: Transport, address: string, sink: Sink): Promise<void> {
  let url = address
  for (let asked = 0; asked <= MAX_REDIRECTS; asked++) {
    const answer: HttpAnswer = await transport.send({ method: 'GET', url, timeoutMs: DOWNLOAD_TIMEOUT_MS, sink })
    if (!('body' in answer)) throw new Error(`cannot fetch ${url}: ${answer.reason}`)
    if (answer.status === 200) return
    const next = answer.status >= 301 && answer.status <= 308 ? URL.parse(answer.headers.location ?? '', url) : null
    if (!next || !/^https?:$/.test(next.protocol)) throw new Error(`cannot fetch ${url}: ${answer.status}`)
    if (url.startsWith('https:') && next.protocol !== 'https:') throw new Error(`${url} leads to an address without encryption`)
    url = next.href
  }
  throw new Error(`${address} leads from one address to the next`)
}

export async function fetchBytes(transport: Transport, url: string): Promise<Buffer> {
  const pieces: Buffer[] = []
  await get(transport, url, { maxBytes: MAX_MANIFEST_BYTES, write: (piece) => pieces.push(piece) })
  return Buffer.concat(pieces)
}

/** Fetches a file of the release; throws Refused where it is not the one that was signed. */
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
    await get(transport, url, { maxBytes: artefact.size, write })
  } finally {
    closeSync(fd)
  }
  if (size !== artefact.size || hash.digest('hex') !== artefact.sha256)
    throw new Refused(`${artefact.name} is not the file that was signed`)
}
