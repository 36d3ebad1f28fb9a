import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TestRelease {
  folder: string
  keys: string
  privateKey: KeyObject
}

/** A folder with a signed release of one file, `agent.tar.gz`. */
export function makeRelease(version: string): TestRelease {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-release-'))
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const keys = publicKey.export({ type: 'spki', format: 'pem' })
  writeFileSync(join(folder, 'release-keys.pem'), keys)
  writeFileSync(join(folder, 'agent.tar.gz'), 'an archive')
  const release = { folder, keys, privateKey }
  writeManifest(release, version)
  return release
}

export function writeManifest({ folder, privateKey }: TestRelease, version: string, format = 'vedette-release-1'): Buffer {
  const artefact = { name: 'agent.tar.gz', sha256: createHash('sha256').update('an archive').digest('hex') }
  const manifest = Buffer.from(JSON.stringify({ format, version, artefacts: [artefact] }))
  writeFileSync(join(folder, 'manifest.json'), manifest)
  writeFileSync(join(folder, 'manifest.json.sig'), sign(null, manifest, privateKey))
  return manifest
}
