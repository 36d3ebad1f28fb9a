import { createHash, createPublicKey, verify } from 'node:crypto'
import { parseObject } from '../process/identity.ts'

/** One file of a release, as in docs/releases.md. */
export interface Artefact {
  name: string
  size: number
  sha256: string
}

export interface Manifest {
  version: string
  sequence: number
  expiresAtMs: number
  /** 0 to 100: the share of the hosts that updates automatically. */
  stagedPercent: number
  artefacts: (Artefact & { program: string; kind: string; os: string; arch: string })[]
}

/** The release must not be installed. */
export class RejectedRelease extends Error {}

/** Parses the manifest; throws RejectedRelease unless one of the keys signed it and it has not expired. */
export function verifyManifest(bytes: Buffer, signature: Buffer, keys: string, nowMs: number): Manifest {
  const blocks = keys.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? []
  if (blocks.length === 0) throw new RejectedRelease('this program was built without a release key and cannot update itself')
  if (!blocks.some((pem) => verify(null, bytes, createPublicKey(pem), signature)))
    throw new RejectedRelease('the signature of the manifest is invalid')
  const manifest = readManifest(bytes.toString('utf8'))
  if (manifest.expiresAtMs <= nowMs)
    throw new RejectedRelease(`the manifest expired ${new Date(manifest.expiresAtMs).toISOString()}`)
  return manifest
}

function readManifest(text: string): Manifest {
  const fields = parseObject(text) ?? {}
  const { format, version, sequence, expires_at, staged_percent, artefacts } = fields
  if (format !== 'vedette-release-1') throw new RejectedRelease('this version cannot read the format of the manifest')
  const isValid =
    typeof version === 'string' &&
    /^\d+\.\d+\.\d+$/.test(version) &&
    Number.isSafeInteger(sequence) &&
    typeof expires_at === 'string' &&
    typeof staged_percent === 'number' &&
    Array.isArray(artefacts)
  if (!isValid) throw new RejectedRelease('the manifest has missing or invalid fields')
  const expiresAtMs = Date.parse(expires_at)
  if (Number.isNaN(expiresAtMs)) throw new RejectedRelease('the manifest has no valid expiry')
  // The signature vouches for the rest.
  return {
    version,
    sequence: Number(sequence),
    expiresAtMs,
    stagedPercent: staged_percent,
    artefacts: artefacts as Manifest['artefacts'],
  }
}

/** The archive for a system, the smaller one if it can be unpacked; throws RejectedRelease if there is none. */
export function archiveFor({ artefacts }: Manifest, os: string, arch: string, canXz: boolean): Artefact {
  const endings = canXz ? ['.tar.xz', '.tar.gz'] : ['.tar.gz']
  const fitting = artefacts.filter(
    (one) => one.program === 'vedette-agent' && one.kind === 'archive' && one.os === os && one.arch === arch,
  )
  for (const ending of endings) {
    const found = fitting.find(({ name }) => name.endsWith(ending))
    if (!found) continue
    if (/^[\w.-]+$/.test(found.name) && Number.isSafeInteger(found.size) && /^[0-9a-f]{64}$/.test(found.sha256)) return found
    throw new RejectedRelease('the manifest has a file with an invalid name, size or hash')
  }
  throw new RejectedRelease(`the release has no agent for ${os}-${arch}`)
}

/** 0 to 99, in another order of hosts for each version: hosts below `stagedPercent` update automatically. */
export function stageOf(version: string, machineId: string): number {
  return createHash('sha256').update(`${version}:${machineId}`).digest().readUInt32BE(0) % 100
}
