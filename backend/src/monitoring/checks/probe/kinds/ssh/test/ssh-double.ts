import { createHash, createPublicKey, diffieHellman, generateKeyPairSync, sign } from 'node:crypto'

const VERSION = 'SSH-2.0-Double'
const host = generateKeyPairSync('ed25519')
const HEAD = Buffer.from('302a300506032b656e032100', 'hex')

const uint32 = (value: number) => Buffer.from([value >>> 24, (value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff])
const field = (bytes: Buffer | string) => Buffer.concat([uint32(Buffer.byteLength(bytes)), Buffer.from(bytes as string)])
const HOST_KEY = Buffer.concat([field('ssh-ed25519'), field(rawOf(host.publicKey.export({ type: 'spki', format: 'der' })))])

function rawOf(der: Buffer): Buffer {
  return der.subarray(-32)
}

function packet(payload: Buffer): Buffer {
  const padding = 16 - ((payload.length + 5) % 8)
  return Buffer.concat([uint32(payload.length + padding + 1), Buffer.from([padding]), payload, Buffer.alloc(padding)])
}
const payloadOf = (bytes: Buffer) => bytes.subarray(5, 4 + bytes.readUInt32BE() - (bytes[4] as number))

function number(bytes: Buffer): Buffer {
  const digits = Buffer.from(bytes.toString('hex').replace(/^(?:00)+/, ''), 'hex')
  return field((digits[0] ?? 0) > 0x7f ? Buffer.concat([Buffer.alloc(1), digits]) : digits)
}

const LISTS = [
  'curve25519-sha256',
  'ssh-ed25519',
  'aes128-ctr',
  'aes128-ctr',
  'hmac-sha2-256',
  'hmac-sha2-256',
  'none',
  'none',
  '',
  '',
]

/** What a server says first, and answers to the two things that a client sends: an SSH server that goes as far as the check does. */
export function createSshDouble(): (Buffer | ((request: Buffer) => Buffer))[] {
  const own = generateKeyPairSync('x25519')
  const init = Buffer.concat([Buffer.from([20]), Buffer.alloc(16, 7), ...LISTS.map(field), Buffer.alloc(5)])
  let clientVersion = ''
  let clientInit = Buffer.alloc(0)
  return [
    Buffer.from(`${VERSION}\r\n`),
    (request) => {
      const end = request.indexOf('\r\n')
      clientVersion = request.toString('latin1', 0, end)
      clientInit = Buffer.from(payloadOf(request.subarray(end + 2)))
      return packet(init)
    },
    (request) => {
      const theirs = payloadOf(request).subarray(5)
      const ours = rawOf(own.publicKey.export({ type: 'spki', format: 'der' }))
      const publicKey = createPublicKey({ key: Buffer.concat([HEAD, theirs]), format: 'der', type: 'spki' })
      const secret = number(diffieHellman({ privateKey: own.privateKey, publicKey }))
      const parts = [clientVersion, VERSION, clientInit, init, HOST_KEY, theirs, ours].map((part) => field(part))
      const hash = createHash('sha256')
        .update(Buffer.concat([...parts, secret]))
        .digest()
      const signature = Buffer.concat([field('ssh-ed25519'), field(sign(null, hash, host.privateKey))])
      return packet(Buffer.concat([Buffer.from([31]), field(HOST_KEY), field(ours), field(signature)]))
    },
  ]
}
