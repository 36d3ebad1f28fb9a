import { createHash } from 'node:crypto'

// Signatures by Ed25519 (RFC 8032) whose secret is a text of any length: MariaDB hashes the password where others hash a seed of 32
// bytes, which is all that the library of Node takes. Points are (X, Y, Z, T) with x = X/Z, y = Y/Z, xy = T/Z.

type Point = readonly [x: bigint, y: bigint, z: bigint, t: bigint]

const P = 2n ** 255n - 19n
/** The order of the base point. */
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n
const BASE_X = 15112221349535400772501151409588531511454012693041857206046113283949847762202n
const BASE_Y = 46316835694926478169428394003475163141307993866256225615783033603165251855960n
const BASE: Point = [BASE_X, BASE_Y, 1n, (BASE_X * BASE_Y) % P]
const NEUTRAL: Point = [0n, 1n, 1n, 0n]

const modulo = (value: bigint): bigint => ((value % P) + P) % P

/** RFC 8032, 5.1.4; it doubles a point as well. */
function add([x1, y1, z1, t1]: Point, [x2, y2, z2, t2]: Point): Point {
  const a = modulo((y1 - x1) * (y2 - x2))
  const b = modulo((y1 + x1) * (y2 + x2))
  const c = modulo(2n * D * t1 * t2)
  const d = modulo(2n * z1 * z2)
  const [e, f, g, h] = [b - a, d - c, d + c, b + a]
  return [modulo(e * f), modulo(g * h), modulo(f * g), modulo(e * h)]
}

function multiplyBase(scalar: bigint): Point {
  let [product, power]: [Point, Point] = [NEUTRAL, BASE]
  for (let rest = scalar; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) product = add(product, power)
    power = add(power, power)
  }
  return product
}

/** By Fermat: value^(P-2). */
function invert(value: bigint): bigint {
  let [result, base] = [1n, value]
  for (let rest = P - 2n; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = modulo(result * base)
    base = modulo(base * base)
  }
  return result
}

function encode([x, y, z]: Point): Buffer {
  const inverse = invert(z)
  return toBytes(modulo(y * inverse) | ((modulo(x * inverse) & 1n) << 255n))
}

/** 32 bytes, the lowest first. */
const toBytes = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse()
const toNumber = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)

const sha512 = (...parts: Uint8Array[]): Buffer => createHash('sha512').update(Buffer.concat(parts)).digest()

/** The signature, 64 bytes. With a secret of 32 bytes it is that of RFC 8032. Its time depends on the secret: a probe signs once a check. */
export function signEd25519(secret: Uint8Array, message: Uint8Array): Buffer {
  const digest = sha512(secret)
  const scalarBytes = digest.subarray(0, 32)
  scalarBytes.writeUInt8(scalarBytes.readUInt8(0) & 248, 0)
  scalarBytes.writeUInt8((scalarBytes.readUInt8(31) & 63) | 64, 31)
  const scalar = toNumber(scalarBytes)
  const publicKey = encode(multiplyBase(scalar))
  const once = toNumber(sha512(digest.subarray(32), message)) % ORDER
  const commitment = encode(multiplyBase(once))
  const challenge = toNumber(sha512(commitment, publicKey, message)) % ORDER
  return Buffer.concat([commitment, toBytes((once + challenge * scalar) % ORDER)])
}
