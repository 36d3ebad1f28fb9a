import { createHash, createPublicKey, verify } from 'node:crypto'
import { parseObject } from '../identity.ts'

/** One file of a release; the form is docs/releases.md. */
export interface Artefact {
  name: string
  size: number
  sha256: string
}

export interface Manifest {
  version: string
  sequence: number
  expiresAtMs: number
  /** 0 to 100: which share of the hosts takes it by itself. */
  stagedPercent: number
  artefacts: (Artefact & { program: string; kind: string; os: string; arch: string })[]
}

/** What must not be installed, whoever offers it. */
export class Refused extends Error {}

/** The manifest that these bytes are; throws Refused unless one of the keys signed them and they are still good. */
export function openManifest(bytes: Buffer, signature: Buffer, keys: string, nowMs: number): Manifest {
  const blocks = keys.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? []
  if (blocks.length === 0) throw new Refused('this program trusts no key: it was built without one and cannot be updated so')
  if (!blocks.some((pem) => verify(null, bytes, createPublicKey(pem), signature)))
    throw new Refused('the signature of the manifest is not good')
  const manifest = readManifest(bytes.toString('utf8'))
  if (manifest.expiresAtMs <= nowMs) throw new Refused(`the manifest expired ${new Date(manifest.expiresAtMs).toISOString()}`)
  return manifest
}

function readManifest(text: string): Manifest {
  const fields = parseObject(text) ?? {}
  const { format, version, sequence, expires_at, staged_percent, artefacts } = fields
  if (format !== 'vedette-release-1') throw new Refused('the manifest is of a form that this version does not know')
  const isGood =
    typeof version === 'string' &&
    /^\d+\.\d+\.\d+$/.test(version) &&
    Number.isSafeInteger(sequence) &&
    typeof expires_at === 'string' &&
    typeof staged_percent === 'number' &&
    Array.isArray(artefacts)
  if (!isGood) throw new Refused('the manifest lacks what it must have')
  const expiresAtMs = Date.parse(expires_at)
  if (Number.isNaN(expiresAtMs)) throw new Refused('the manifest does not say until when it is good')
  // Signed by whoever may say it: the rest is as the form has it.
  return {
    version,
    sequence: Number(sequence),
    expiresAtMs,
    stagedPercent: staged_percent,
    artefacts: artefacts as Manifest['artefacts'],
  }
}

/** The archive for a system, the smaller one where it can be unpacked; throws Refused where there is none. */
export function archiveFor({ artefacts }: Manifest, os: string, arch: string, canXz: boolean): Artefact {
  const endings = canXz ? ['.tar.xz', '.tar.gz'] : ['.tar.gz']
  const fitting = artefacts.filter(
    (one) => one.program === 'vedette-agent' && one.kind === 'archive' && one.os === os && one.arch === arch,
  )
  for (const ending of endings) {
    const found = fitting.find(({ name }) => name.endsWith(ending))
    if (!found) continue
    if (/^[\w.-]+$/.test(found.name) && Number.isSafeInteger(found.size) && /^[0-9a-f]{64}$/.test(found.sha256)) return found
    throw new Refused('the manifest names a file in a form that this version does not know')
  }
  throw new Refused(`the release has no agent for ${os}-${arch}`)
}

/** From 0 to 99, another order of hosts with each version: who is below `stagedPercent` takes it by itself. */
export function stageOf(version: string, machineId: string): number {
  return createHash('sha256').update(`${version}:${machineId}`).digest().readUInt32BE(0) % 100
}
