import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { GivenCredential, NewCredential } from '@vedette/shared'

/** What a test changes of an answer that would be accepted. */
export interface Tampering {
  type?: string
  challenge?: string
  origin?: string
  crossOrigin?: boolean
  topOrigin?: string
  rpId?: string
  /** User present 1, verified 4, can be synced 8, is synced 16, key attached 64. */
  flags?: number
  counter?: number
  alg?: number
  format?: string
  statement?: Cbor
  userHandle?: string
  id?: string
  key?: KeyObject
  /** Changes what is signed after the signature. */
  afterwards?: (authenticatorData: Buffer) => Buffer
}

type Cbor = number | string | Uint8Array | readonly Cbor[] | Map<number | string, Cbor>

/** RFC 8949, as far as authenticators need it. */
export function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  if (value instanceof Map)
    return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, one]) => [cbor(key), cbor(one)])])
  return Buffer.concat([head(4, value.length), ...value.map(cbor)])
}

function head(major: number, count: number): Buffer {
  if (count < 24) return Buffer.of((major << 5) | count)
  if (count < 256) return Buffer.of((major << 5) | 24, count)
  return Buffer.of((major << 5) | 25, count >> 8, count & 255)
}

const sha256 = (data: Buffer | string): Buffer => createHash('sha256').update(data).digest()
const base64Url = (data: Buffer): string => data.toString('base64url')

export interface Options {
  challenge: string
  rp?: { id: string }
  rpId?: string
  user?: { id: string }
}

/** An authenticator of one passkey in software, ES256, that verifies its user and counts. */
export function createTestAuthenticator(origin = 'http://localhost:8080') {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(32)
  let [rpId, user, counter] = ['', '', 0]

  const clientData = (type: string, options: Options, change: Tampering) =>
    Buffer.from(
      JSON.stringify({
        type: change.type ?? type,
        challenge: change.challenge ?? options.challenge,
        origin: change.origin ?? origin,
        crossOrigin: change.crossOrigin ?? false,
        ...(change.topOrigin !== undefined && { topOrigin: change.topOrigin }),
      }),
    )
  const dataOf = (flags: number, change: Tampering, ...rest: Buffer[]) => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(change.counter ?? counter)
    return Buffer.concat([sha256(change.rpId ?? rpId), Buffer.of(change.flags ?? flags), count, ...rest])
  }

  return {
    id: base64Url(id),
    create(options: Options, change: Tampering = {}): NewCredential {
      ;[rpId, user] = [options.rp?.id ?? '', options.user?.id ?? '']
      const key = new Map<number, Cbor>([
        [1, 2],
        [3, change.alg ?? -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ])
      const attached = Buffer.concat([Buffer.alloc(16), Buffer.of(0, id.length), id, cbor(key)])
      const statement = change.statement ?? new Map()
      const authData = dataOf(1 | 4 | 64, change, attached)
      const object = new Map<string, Cbor>([
        ['fmt', change.format ?? 'none'],
        ['attStmt', statement],
        ['authData', change.afterwards?.(authData) ?? authData],
      ])
      const own = change.id ?? base64Url(id)
      return {
        key_handle: own,
        client_data: base64Url(clientData('webauthn.create', options, change)),
        attestation_object: base64Url(cbor(object)),
        transports: ['internal'],
      }
    },
    get(options: Options, change: Tampering = {}): GivenCredential {
      counter += 1
      const client = clientData('webauthn.get', options, change)
      const data = dataOf(1 | 4, change)
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), change.key ?? privateKey)
      const own = change.id ?? base64Url(id)
      return {
        key_handle: own,
        client_data: base64Url(client),
        authenticator_data: base64Url(change.afterwards?.(data) ?? data),
        signature: base64Url(signature),
        user_handle: change.userHandle ?? user,
      }
    },
  }
}
