import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../platform/time/clock.ts'
import type { Log } from '../../platform/logging/log.ts'
import { newerOf } from './version.ts'

/** A release whose signature is good, as the folder holds it now. */
export interface Release {
  version: string
  /** Of the bytes of the manifest, in hex. */
  manifestSha256: string
  /** PEM: the public keys that may sign, one or two. */
  keys: string
  /** Names of what the manifest lists, and of what belongs to it. */
  files: ReadonlySet<string>
}

export interface Releases {
  /** Undefined where no folder is set. Throws with the reason where the release in it is not good. */
  read(): Release | undefined
  /** The newest version of the agent that is known here: that of the release, or of this program. */
  newestAgent(): string
}

const MANIFEST_FILES = ['manifest.json', 'manifest.json.sig', 'manifest.json.sshsig', 'release-keys.pem', 'SHA256SUMS']
/** How long the newest version is cached: each list of servers needs it, and releases are rare. */
const REREAD_INTERVAL_MS = 10_000

export interface ReleaseDeps {
  folder: string | undefined
  /** Undefined: the keys next to the manifest. */
  keysFile: string | undefined
  ownVersion: string
  clock: Clock
  log: Log
}

export function createReleases({ folder, keysFile, ownVersion, clock, log }: ReleaseDeps): Releases {
  let seen: { stamp: string; release: Release } | undefined
  let newest = ownVersion
  let readAtMs = Number.NEGATIVE_INFINITY
  const read = (): Release | undefined => {
    if (folder === undefined) return undefined
    const paths = { manifest: join(folder, 'manifest.json'), keys: keysFile ?? join(folder, 'release-keys.pem') }
    const stamp = [paths.manifest, `${paths.manifest}.sig`, paths.keys].map((path) => statSync(path).mtimeMs).join(' ')
    if (seen?.stamp !== stamp) seen = { stamp, release: readRelease(paths) }
    return seen.release
  }
  const newestAgent = (): string => {
    if (clock.now() - readAtMs < REREAD_INTERVAL_MS) return newest
    readAtMs = clock.now()
    try {
      newest = newerOf(read()?.version ?? ownVersion, ownVersion)
    } catch (error) {
      log.warn({ err: error, folder }, 'the release in VEDETTE_RELEASES_DIR is invalid')
    }
    return newest
  }
  return { read, newestAgent }
}

function readRelease(paths: { manifest: string; keys: string }): Release {
  const bytes = readFileSync(paths.manifest)
  const keys = readFileSync(paths.keys, 'utf8')
  const signature = readFileSync(`${paths.manifest}.sig`)
  if (!blocksOf(keys).some((pem) => isSignedBy(pem, bytes, signature))) throw new Error('none of the keys signed the manifest')
  const { format, version, artefacts } = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>
  if (format !== 'vedette-release-1' || typeof version !== 'string' || !Array.isArray(artefacts))
    throw new Error('the manifest is of a form that this version does not know')
  const names = (artefacts as { name?: unknown }[]).map(({ name }) => name)
  return {
    version,
    manifestSha256: createHash('sha256').update(bytes).digest('hex'),
    keys,
    files: new Set([...MANIFEST_FILES, ...names.filter((name) => typeof name === 'string')]),
  }
}

function blocksOf(pem: string): string[] {
  return pem.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? []
}

function isSignedBy(pem: string, bytes: Buffer, signature: Buffer): boolean {
  const key = createPublicKey(pem)
  return key.asymmetricKeyType === 'ed25519' && verify(null, bytes, key, signature)
}
