import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import type { InstallationSecrets } from '../../../platform/crypto/installation-secrets.ts'

const NAMESPACE = 'vedette-release'
const KEY_KIND = 'ssh-ed25519'
/** What stands before the 32 bytes of a private key of Ed25519 in PKCS #8. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Signs the agents that this installation serves. Derived from its secret, so all of its processes have the same. */
export interface SigningKey {
  /** The public key as PEM and, in a comment, as OpenSSH writes it: what install.sh and install.ps1 verify with. */
  publicKeys: string
  /** What `ssh-keygen -Y verify -n vedette-release` takes, for a file with this SHA-512. */
  sign(sha512: Buffer): string
}

export function createSigningKey(secrets: InstallationSecrets): SigningKey {
  const [seed] = secrets.derive('agents')
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(privateKey)
  const ssh = sshKeyOf(publicKey)
  const pem = publicKey.export({ type: 'spki', format: 'pem' })
  return {
    publicKeys: `# ${KEY_KIND} ${ssh.toString('base64')}\n${pem}`,
    sign: (sha512) => sshSignature(privateKey, ssh, sha512),
  }
}

/** PROTOCOL.sshsig of OpenSSH. */
function sshSignature(privateKey: KeyObject, publicKey: Buffer, sha512: Buffer): string {
  const magic = Buffer.from('SSHSIG')
  const about = fields(NAMESPACE, '', 'sha512')
  const signature = sign(null, Buffer.concat([magic, about, fields(sha512)]), privateKey)
  const version = Buffer.from([0, 0, 0, 1])
  const blob = Buffer.concat([magic, version, fields(publicKey), about, fields(fields(KEY_KIND, signature))])
  const lines = blob.toString('base64').match(/.{1,70}/g) ?? []
  return ['-----BEGIN SSH SIGNATURE-----', ...lines, '-----END SSH SIGNATURE-----', ''].join('\n')
}

/** The last 32 bytes of the usual form are the key itself. */
const sshKeyOf = (publicKey: KeyObject): Buffer =>
  fields(KEY_KIND, publicKey.export({ type: 'spki', format: 'der' }).subarray(-32))

/** Each with its length before it. */
function fields(...parts: readonly (Buffer | string)[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part as Buffer)
      const length = Buffer.alloc(4)
      length.writeUInt32BE(bytes.length)
      return [length, bytes]
    }),
  )
}
