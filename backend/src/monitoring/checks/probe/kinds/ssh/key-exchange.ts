import {
  createDiffieHellmanGroup,
  createECDH,
  createHash,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
} from 'node:crypto'
import type { ByteReader } from '../conversation/byte-reader.ts'
import { protocolFault } from '../conversation/check-fault.ts'
import { mpint, readString, string } from './packets.ts'

/** One side of a key exchange, for all checks: nothing is encrypted with the secret, and the server signs a cookie of each check. */
interface OwnSide {
  /** As the message of the client holds it. */
  public: Buffer
  /** The shared secret; throws for a value of the server that is none. */
  secretWith(theirs: Buffer): Buffer
}

interface Method {
  names: readonly string[]
  /** In the message of the client and in what is hashed. */
  encode(value: Buffer): Buffer
  own(): OwnSide
}

/** SubjectPublicKeyInfo of X25519 (RFC 8410) up to the key. */
const X25519_HEAD = Buffer.from('302a300506032b656e032100', 'hex')

/** RFC 8731. */
function x25519(): OwnSide {
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  return {
    public: publicKey.export({ type: 'spki', format: 'der' }).subarray(X25519_HEAD.length),
    secretWith(theirs) {
      const key = createPublicKey({ key: Buffer.concat([X25519_HEAD, theirs]), format: 'der', type: 'spki' })
      return diffieHellman({ privateKey, publicKey: key })
    },
  }
}

/** RFC 5656. */
function p256(): OwnSide {
  const ecdh = createECDH('prime256v1')
  return { public: ecdh.generateKeys(), secretWith: (theirs) => ecdh.computeSecret(theirs) }
}

/** RFC 8268, 2,048 bits: servers that are too old for curves. */
function group14(): OwnSide {
  const group = createDiffieHellmanGroup('modp14')
  return { public: group.generateKeys(), secretWith: (theirs) => group.computeSecret(theirs) }
}

/** Made when the first server wants it. */
function once(make: () => OwnSide): () => OwnSide {
  let made: OwnSide | undefined
  return () => (made ??= make())
}

/** The likeliest first; all hash by SHA-256. */
const METHODS: readonly Method[] = [
  { names: ['curve25519-sha256', 'curve25519-sha256@libssh.org'], encode: string, own: once(x25519) },
  { names: ['ecdh-sha2-nistp256'], encode: string, own: once(p256) },
  { names: ['diffie-hellman-group14-sha256'], encode: mpint, own: once(group14) },
]

export const METHOD_NAMES: readonly string[] = METHODS.flatMap(({ names }) => names)
export const methodOf = (name: string): Method => METHODS.find(({ names }) => names.includes(name)) as Method

/** What both sides have sent before, whole and without their frames. */
export interface Prelude {
  clientVersion: string
  serverVersion: string
  clientInit: Buffer
  serverInit: Buffer
}

export interface Exchanged {
  hostKey: Buffer
  signature: Buffer
  /** What the signature is of. */
  hash: Buffer
}

/** The reply of the server to the value of the client (RFC 4253, section 8). */
export function exchange({ encode, own }: Method, prelude: Prelude, reply: ByteReader): Exchanged {
  const hostKey = readString(reply)
  const theirs = readString(reply)
  const signature = readString(reply)
  const { clientVersion, serverVersion, clientInit, serverInit } = prelude
  const hash = createHash('sha256')
    .update(Buffer.concat([string(clientVersion), string(serverVersion), string(clientInit), string(serverInit)]))
    .update(string(hostKey))
    .update(Buffer.concat([encode(own().public), encode(theirs), mpint(secretOf(own(), theirs))]))
    .digest()
  return { hostKey, signature, hash }
}

function secretOf(own: OwnSide, theirs: Buffer): Buffer {
  try {
    return own.secretWith(theirs)
  } catch {
    throw protocolFault('the server sent an invalid value in the key exchange')
  }
}
