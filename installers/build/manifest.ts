import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'

export type ArtefactKind = 'archive' | 'deb' | 'rpm' | 'msi' | 'setup' | 'sbom' | 'licences' | 'keys'

export interface Artefact {
  name: string
  program: 'vedette-agent' | 'vedette'
  kind: ArtefactKind
  os: 'linux' | 'darwin' | 'win' | 'any'
  arch: 'x64' | 'arm64' | 'any'
  size: number
  sha256: string
}

/** An artefact without size and hash. */
export type BuiltFile = Omit<Artefact, 'size' | 'sha256'>

export interface ManifestHead {
  version: string
  sequence: number
  publishedAt: Date
  expiresAt: Date
  /** 0 to 100. */
  stagedPercent: number
}

const NAMESPACE = 'vedette-release'
const instant = (date: Date) => date.toISOString().replace(/\.\d+Z$/, 'Z')

/** The signed text: one field and one artefact per line, as docs/releases.md promises for shell scripts. */
export function writeManifest(head: ManifestHead, artefacts: readonly Artefact[]): string {
  const fields = {
    format: 'vedette-release-1',
    version: head.version,
    sequence: head.sequence,
    published_at: instant(head.publishedAt),
    expires_at: instant(head.expiresAt),
    staged_percent: head.stagedPercent,
  }
  const lines = artefacts
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, program, kind, os, arch, size, sha256 }) => {
      if (!/^[\w.-]+$/.test(name)) throw new Error(`"${name}" is no valid name of an artefact`)
      return JSON.stringify({ name, program, kind, os, arch, size, sha256 })
    })
  const headLines = Object.entries(fields).map(([name, value]) => `"${name}": ${JSON.stringify(value)},\n`)
  return `{\n${headLines.join('')}"artefacts": [\n${lines.join(',\n')}\n]\n}\n`
}

export function readSigningKey(pem: string): KeyObject {
  const key = createPrivateKey(pem)
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('the signing key is no Ed25519 key')
  return key
}

export function readPublicKey(pem: string): KeyObject {
  const key = createPublicKey(pem)
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('the next key is no Ed25519 key')
  return key
}

/** `release-keys.pem`: each key as PEM, preceded by a comment with the key in OpenSSH format. */
export function writeReleaseKeys(keys: readonly KeyObject[]): string {
  return keys
    .map((key) => {
      const blob = Buffer.concat([field('ssh-ed25519'), field(rawKey(key))])
      return `# ssh-ed25519 ${blob.toString('base64')}\n${key.export({ type: 'spki', format: 'pem' })}`
    })
    .join('')
}

/** The raw signature (64 bytes) and a signature for `ssh-keygen -Y verify`. */
export function signManifest(manifest: string, key: KeyObject): { raw: Buffer; ssh: string } {
  const bytes = Buffer.from(manifest)
  const digest = createHash('sha512').update(bytes).digest()
  const magic = Buffer.from('SSHSIG')
  const words = [field(NAMESPACE), field(''), field('sha512')]
  const signature = sign(null, Buffer.concat([magic, ...words, field(digest)]), key)
  const publicKey = Buffer.concat([field('ssh-ed25519'), field(rawKey(createPublicKey(key)))])
  const version = Buffer.from([0, 0, 0, 1])
  const inner = Buffer.concat([field('ssh-ed25519'), field(signature)])
  const blob = Buffer.concat([magic, version, field(publicKey), ...words, field(inner)]).toString('base64')
  const lines = blob.replaceAll(/.{70}(?=.)/g, '$&\n')
  return { raw: sign(null, bytes, key), ssh: `-----BEGIN SSH SIGNATURE-----\n${lines}\n-----END SSH SIGNATURE-----\n` }
}

/** The last 32 bytes of the DER are the key. */
const rawKey = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' }).subarray(-32)

/** An OpenSSH string: length, then bytes. */
function field(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}
