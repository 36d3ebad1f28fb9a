import { hash, verify } from '@node-rs/argon2'
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '@vedette/shared'
import { createWorkQueue } from '../../platform/concurrency/work-queue.ts'
import { COMMON_PASSWORDS } from './common-passwords.ts'
import { isKnownAddress } from './known-addresses.ts'

/** OWASP's current advice for argon2id (the library's default algorithm): 19 MiB, two passes, one lane. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const PARAMETER_TEXT = `$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}$`

/** One spelling of a password however the keyboard composed it. */
const normalize = (password: string): string => password.normalize('NFKC')

/** Half of the four threads of Node's pool: files and names of hosts need the others. */
const AT_ONCE = 2
/** More than a second or two of work: who waits longer has given up. */
const MAX_WAITING = 100
/** One for the process: logins must not stall everything else. */
const queue = createWorkQueue(AT_ONCE, MAX_WAITING)

/** Where a password comes from. */
interface Sender {
  ip: string
  signal?: AbortSignal
}

/** Addresses from which somebody signed in before have places of their own, and come first. */
const inTurn = <T>(work: () => Promise<T>, from: Sender | undefined): Promise<T> =>
  queue.run(work, from?.signal, from !== undefined && isKnownAddress(from.ip))

/** Throws unavailable when too many wait for this work, request_timeout when the signal aborts before it begins. */
export function hashPassword(password: string, from?: Sender): Promise<string> {
  return inTurn(() => hash(normalize(password), PARAMETERS), from)
}

/** Verified where there is no user, so that an unknown e-mail costs the same work as a wrong password. */
const DECOY = hash('no user has this password', PARAMETERS)

/**
 * Whether the password is the one behind `stored`; with no stored hash the same work is done and the answer is false. Throws like
 * `hashPassword`.
 */
export async function verifyPassword(stored: string | undefined, password: string, from?: Sender): Promise<boolean> {
  const compared = stored ?? (await DECOY)
  const isRight = await inTurn(() => verify(compared, normalize(password)), from)
  return stored !== undefined && isRight
}

/** Whether a stored hash was made with weaker parameters than today's. */
export function needsRehash(stored: string): boolean {
  return !stored.includes(PARAMETER_TEXT)
}

/** Why a new password is refused, undefined when it is good. Length counts characters, not bytes. */
export function passwordFault(password: string): string | undefined {
  const length = Array.from(normalize(password)).length
  if (length < PASSWORD_MIN_LENGTH || length > PASSWORD_MAX_LENGTH) {
    return `must have ${PASSWORD_MIN_LENGTH} to ${PASSWORD_MAX_LENGTH} characters`
  }
  const plain = normalize(password).toLowerCase()
  if (COMMON_PASSWORDS.has(plain) || new Set(plain).size < 4) return 'is one of the most common passwords'
  return undefined
}
