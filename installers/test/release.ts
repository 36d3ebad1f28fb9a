import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

/** A throw-away key and the public one in both of its forms, as `release-keys.pem` has them. */
export interface SigningKey {
  privateKey: KeyObject
  pem: string
}

export function makeKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const pem = `# ssh-ed25519 ${sshKeyOf(publicKey).toString('base64')}\n${publicKey.export({ type: 'spki', format: 'pem' })}`
  return { privateKey, pem }
}

const lengthOf = (part: Buffer) => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(part.length)
  return length
}
const packed = (...parts: (Buffer | string)[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(part)).flatMap((part) => [lengthOf(part), part]))

/** The last 32 bytes of the usual form are the key itself. */
const sshKeyOf = (publicKey: KeyObject) => packed('ssh-ed25519', publicKey.export({ type: 'spki', format: 'der' }).subarray(-32))

/** What `ssh-keygen -Y verify` takes (PROTOCOL.sshsig of OpenSSH). */
function sshSignature(privateKey: KeyObject, bytes: Buffer): string {
  const magic = Buffer.from('SSHSIG')
  const said = packed('vedette-release', '', 'sha512')
  const digest = createHash('sha512').update(bytes).digest()
  const signature = packed('ssh-ed25519', sign(null, Buffer.concat([magic, said, packed(digest)]), privateKey))
  const publicKey = sshKeyOf(createPublicKey(privateKey))
  const blob = Buffer.concat([magic, Buffer.from([0, 0, 0, 1]), packed(publicKey), said, packed(signature)])
  const lines = blob.toString('base64').match(/.{1,70}/g) ?? []
  return ['-----BEGIN SSH SIGNATURE-----', ...lines, '-----END SSH SIGNATURE-----', ''].join('\n')
}

export interface ManifestChanges {
  version?: string
  sequence?: number
  expiresAt?: string
  stagedPercent?: number
}

/** Writes `manifest.json` for these archives of the agent for Linux, signed; the format is docs/releases.md. */
export function writeManifest(folder: string, key: SigningKey, archives: string[], changes: ManifestChanges = {}): void {
  const { version = '0.1.0', sequence = 10, expiresAt = '2036-01-01T00:00:00Z', stagedPercent = 100 } = changes
  const artefacts = archives.map((path) => {
    const bytes = readFileSync(path)
    const [, arch = ''] = /-linux-(x64|arm64)\./.exec(path) ?? []
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const identity = { name: basename(path), program: 'vedette-agent', kind: 'archive', os: 'linux', arch }
    return JSON.stringify({ ...identity, size: bytes.length, sha256 })
  })
  const lines = [
    '{',
    '"format": "vedette-release-1",',
    `"version": ${JSON.stringify(version)},`,
    `"sequence": ${sequence},`,
    '"published_at": "2026-01-01T00:00:00Z",',
    `"expires_at": "${expiresAt}",`,
    `"staged_percent": ${stagedPercent},`,
    '"artefacts": [',
    artefacts.join(',\n'),
    ']',
    '}',
    '',
  ]
  const manifest = Buffer.from(lines.join('\n'))
  writeFileSync(join(folder, 'manifest.json'), manifest)
  writeFileSync(join(folder, 'manifest.json.sig'), sign(null, manifest, key.privateKey))
  writeFileSync(join(folder, 'manifest.json.sshsig'), sshSignature(key.privateKey, manifest))
  writeFileSync(join(folder, 'release-keys.pem'), key.pem)
}

export const newFolder = (name: string): string => mkdtempSync(join(tmpdir(), `vedette-${name}-`))

/** Serves the files of a folder, by name. */
export async function serveFolder(folder: string): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    const path = join(folder, basename(request.url ?? ''))
    if (!existsSync(path) || !statSync(path).isFile()) return void response.writeHead(404).end()
    createReadStream(path).pipe(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}
