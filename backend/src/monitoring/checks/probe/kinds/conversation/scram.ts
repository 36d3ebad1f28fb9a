import { createHash, createHmac, pbkdf2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { randomBytes } from '../../../../../platform/crypto/random.ts'
import { protocolFault } from './check-fault.ts'

/** Servers use 4,096; a hostile one could ask for a minute of work. */
const MAX_ITERATIONS = 100_000
const MAX_CACHED = 1_000

/** Derived keys (RFC 5802 allows to keep them): deriving costs more than the rest of a check. By a hash of what they depend on. */
const cache = new Map<string, Buffer>()

async function saltedPassword(password: string, salt: Buffer, iterations: number): Promise<Buffer> {
  const id = createHash('sha256')
    .update(`${iterations}:${salt.toString('base64')}:${password}`)
    .digest('base64')
  const cached = cache.get(id)
  if (cached) return cached
  const derived = await promisify(pbkdf2)(password.normalize('NFKC'), salt, iterations, 32, 'sha256')
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(id, derived)
  return derived
}

const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/**
 * One login by SCRAM-SHA-256 (RFC 7677) without channel binding. Postgres takes the user name from its own start-up message: it is
 * empty there.
 */
export function createScram(password: string, username = '', nonce = randomBytes(18).toString('base64')) {
  const bare = `n=${username.replaceAll('=', '=3D').replaceAll(',', '=2C')},r=${nonce}`
  let expected: Buffer | undefined
  return {
    first: `n,,${bare}`,
    /** Answers the challenge of the server. */
    async respond(challenge: string): Promise<string> {
      const [, all, salt, count] = /^r=([^,]+),s=([^,]+),i=(\d{1,9})$/.exec(challenge) ?? []
      if (all?.startsWith(nonce) !== true || all === nonce || salt === undefined)
        throw protocolFault('the server sent an invalid SCRAM challenge')
      const iterations = Number(count)
      if (iterations < 1 || iterations > MAX_ITERATIONS)
        throw protocolFault(`the server asks for more than ${MAX_ITERATIONS} SCRAM iterations`)
      const key = await saltedPassword(password, Buffer.from(salt, 'base64'), iterations)
      const withoutProof = `c=biws,r=${all}`
      const signed = `${bare},${challenge},${withoutProof}`
      const clientKey = hmac(key, 'Client Key')
      const signature = hmac(createHash('sha256').update(clientKey).digest(), signed)
      expected = hmac(hmac(key, 'Server Key'), signed)
      const proof = clientKey.map((byte, index) => byte ^ (signature[index] as number))
      return `${withoutProof},p=${Buffer.from(proof).toString('base64')}`
    },
    /** The server must know the password as well. */
    verify(final: string): void {
      const signature = Buffer.from(/^v=([^,]+)/.exec(final)?.[1] ?? '', 'base64')
      if (signature.length !== expected?.length || !timingSafeEqual(signature, expected))
        throw protocolFault('the server could not prove that it knows the password')
    },
  }
}
