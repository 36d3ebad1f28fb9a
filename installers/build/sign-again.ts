import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Artefact, type ManifestHead, readPublicKey } from './manifest.ts'
import { publish } from './release.ts'
import { hashOfFile } from './tools.ts'

export interface Changes {
  /** 0 to 100; default: unchanged. */
  stagedPercent?: number
  expiresDays: number
  /** Default: one more than before. */
  sequence?: number
}

const DAY_MS = 86_400_000

/**
 * Signs the manifest of a built release again, with another rollout stage or expiry; the artefacts stay. Throws without changes if the
 * folder is not what was signed before, or if the programs of this release would reject the result.
 */
export async function signAgain(folder: string, key: KeyObject, changes: Changes, nowMs: number): Promise<ManifestHead> {
  const { head, artefacts } = readSigned(folder, key)
  for (const { name, size, sha256 } of artefacts) {
    const path = join(folder, name)
    const isSame = existsSync(path) && statSync(path).size === size && (await hashOfFile(path, 'sha256')) === sha256
    if (!isSame) throw new Error(`${name} is not what the manifest says`)
  }
  // Not the current time: the sequence of the next release is its commit time, which may be earlier than this signature.
  const { sequence = head.sequence + 1, stagedPercent = head.stagedPercent, expiresDays } = changes
  if (sequence <= head.sequence) throw new Error(`the sequence must be above ${head.sequence}, which is already signed`)
  const next: ManifestHead = {
    version: head.version,
    sequence,
    publishedAt: new Date(nowMs),
    expiresAt: new Date(nowMs + expiresDays * DAY_MS),
    stagedPercent,
  }
  await publish(folder, next, artefacts, key)
  return next
}

/** The manifest in the folder; throws unless a key of this release signed it and `key` is one of them. */
function readSigned(
  folder: string,
  key: KeyObject,
): { head: Omit<ManifestHead, 'publishedAt' | 'expiresAt'>; artefacts: Artefact[] } {
  const names = ['manifest.json', 'manifest.json.sig', 'release-keys.pem']
  const missing = names.filter((name) => !existsSync(join(folder, name)))
  if (missing.length > 0) throw new Error(`${folder} is no signed release: ${missing.join(', ')} missing`)
  const [bytes, signature, pem] = names.map((name) => readFileSync(join(folder, name)))
  const blocks = String(pem).match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? []
  const trusted = blocks.map(readPublicKey)
  if (!trusted.some((one) => one.equals(createPublicKey(key))))
    throw new Error('release-keys.pem does not have this key: the programs of this release would reject its signature')
  if (!bytes || !signature || !trusted.some((one) => verify(null, bytes, one, signature)))
    throw new Error('none of the keys in release-keys.pem has signed manifest.json')
  const { version, sequence, staged_percent, artefacts } = JSON.parse(String(bytes)) as Record<
    'sequence' | 'staged_percent',
    number
  > & {
    version: string
    artefacts: Artefact[]
  }
  return { head: { version, sequence, stagedPercent: staged_percent }, artefacts }
}
