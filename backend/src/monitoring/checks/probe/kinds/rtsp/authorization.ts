import { createHash } from 'node:crypto'
import { randomBytes } from '../../../../../platform/crypto/random.ts'

interface Login {
  username: string
  password: string
  method: string
  uri: string
}

const HASHES: Readonly<Record<string, string>> = { '': 'md5', MD5: 'md5', 'SHA-256': 'sha256' }

/**
 * The `Authorization` for a challenge: Digest of RFC 7616 with SHA-256 or MD5 where it is offered, which hides the password, else
 * Basic; undefined where neither is. Several challenges are separated by commas.
 */
export function authorizationFor(challenges: string, login: Login, clientNonce?: string): string | undefined {
  const offered = challengesIn(challenges)
  const digests = offered.filter(({ scheme, values }) => scheme === 'digest' && hashOf(values) !== undefined && isUsable(values))
  const best = digests.find(({ values }) => hashOf(values) === 'sha256') ?? digests[0]
  if (best) return digestOf(best.values, login, clientNonce ?? randomBytes(8).toString('hex'))
  if (!offered.some(({ scheme }) => scheme === 'basic')) return undefined
  return `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`
}

const hashOf = (values: ReadonlyMap<string, string>): string | undefined => HASHES[(values.get('algorithm') ?? '').toUpperCase()]

/** `auth-int` alone would need the body. */
const isUsable = (values: ReadonlyMap<string, string>): boolean =>
  values.has('nonce') && (!values.has('qop') || qopsOf(values).includes('auth'))

const qopsOf = (values: ReadonlyMap<string, string>): string[] => (values.get('qop') ?? '').split(',').map((one) => one.trim())

interface Challenge {
  scheme: string
  values: Map<string, string>
}

/** A header that challenges with more parts has no meaning. */
const MAX_PARTS = 100

function challengesIn(text: string): Challenge[] {
  const found: Challenge[] = []
  let parts = 0
  for (const [, scheme, name, quoted, plain] of text.matchAll(
    /(?:^|,)\s*(?:(basic|digest)\s+)?([a-z-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))|(?:^|,)\s*basic\s*(?=,|$)/gi,
  )) {
    if (++parts > MAX_PARTS) break
    if (scheme !== undefined || name === undefined) found.push({ scheme: (scheme ?? 'basic').toLowerCase(), values: new Map() })
    if (name !== undefined) found.at(-1)?.values.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '')
  }
  return found
}

function digestOf(values: ReadonlyMap<string, string>, { username, password, method, uri }: Login, cnonce: string): string {
  const algorithm = values.get('algorithm')
  const hash = (text: string) =>
    createHash(hashOf(values) ?? 'md5')
      .update(text)
      .digest('hex')
  const [realm = '', nonce = '', opaque] = ['realm', 'nonce', 'opaque'].map((name) => values.get(name))
  const hasQop = values.has('qop')
  const secret = hash(`${username}:${realm}:${password}`)
  const request = hash(`${method}:${uri}`)
  const response = hash(hasQop ? `${secret}:${nonce}:00000001:${cnonce}:auth:${request}` : `${secret}:${nonce}:${request}`)
  const quote = (text: string) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
  return [
    `Digest username=${quote(username)}`,
    `realm=${quote(realm)}`,
    `nonce=${quote(nonce)}`,
    `uri=${quote(uri)}`,
    `response="${response}"`,
    ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
    ...(opaque === undefined ? [] : [`opaque=${quote(opaque)}`]),
    ...(hasQop ? ['qop=auth', 'nc=00000001', `cnonce="${cnonce}"`] : []),
  ].join(', ')
}
