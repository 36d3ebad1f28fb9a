import { isIP, isIPv6 } from 'node:net'
import { truncateText } from '@vedette/shared'
import type { Fault } from '../phases/fault.ts'
import { ipv6Bytes } from '../address/ipv6-bytes.ts'
import type { Proxy } from './route.ts'

/** What a proxy is to connect to: an address, or a name that it resolves. */
export interface Destination {
  host: string
  port: number
}

/** `target`: the proxy could not connect to it. Otherwise nothing is known of the target. */
export interface HandshakeFault {
  of: 'target' | 'proxy'
  message: string
}

/** What to send, and which bytes to wait for: so many, or those up to an empty line. */
export interface HandshakeStep {
  send?: Buffer
  wait: number | 'head'
  /** The proxy connects to the target now. */
  isConnecting?: true
}

/** Of the head of an answer to CONNECT. */
export const MAX_HEAD_BYTES = 8_192

/** Ends with a fault, or undefined once the proxy passes bytes on. What it yields gets the bytes that it waits for. */
export type Handshake = Generator<HandshakeStep, HandshakeFault | undefined, Buffer>

export const handshakeOf = (proxy: Proxy, destination: Destination): Handshake =>
  proxy.protocol === 'http' ? connectHttp(proxy, destination) : connectSocks(proxy, destination)

/** For people, as the fault of a check. */
export const faultOfHandshake = ({ of, message }: HandshakeFault): Fault =>
  of === 'target' ? { code: 'connect', message } : ofProxy(message)

/** Nothing is known of the target: the check is inconclusive. */
export const ofProxy = (message: string): Fault => ({ code: 'internal', message })

/** RFC 9110, section 9.3.6. */
function* connectHttp({ username, password }: Proxy, { host, port }: Destination): Handshake {
  const authority = `${isIPv6(host) ? `[${host}]` : host}:${port}`
  const login = Buffer.from(`${username}:${password}`).toString('base64')
  const lines = [
    `CONNECT ${authority} HTTP/1.1`,
    `Host: ${authority}`,
    'User-Agent: Vedette',
    ...(username === '' ? [] : [`Proxy-Authorization: Basic ${login}`]),
  ]
  const head = yield { send: Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), wait: 'head', isConnecting: true }
  const [line = ''] = head.toString('latin1').split(/\r?\n/)
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(line)?.[1])
  if (!Number.isInteger(status)) return { of: 'proxy', message: 'the proxy does not speak HTTP' }
  if (status >= 200 && status <= 299) return undefined
  if (status === 407)
    return {
      of: 'proxy',
      message: username === '' ? 'the proxy wants a user name and a password' : 'the proxy refused the user name or the password',
    }
  const said = printable(truncateText(line.slice('HTTP/1.1 '.length), 80))
  // Proxies differ in how they say that the target cannot be reached: tinyproxy with 500, squid with 503.
  return status >= 500
    ? { of: 'target', message: `the proxy could not connect to the target: it answered ${said}` }
    : { of: 'proxy', message: `the proxy refused to connect to the target: it answered ${said}` }
}

const printable = (text: string): string => text.replaceAll(/[^\x20-\x7e]+/g, ' ').trim()

const VERSION = 5
const [NO_LOGIN, PASSWORD_LOGIN, NO_METHOD] = [0, 2, 255]
const [IPV4, DOMAIN, IPV6] = [1, 3, 4]

/** RFC 1928, section 6. */
const REPLIES: Readonly<Partial<Record<number, HandshakeFault>>> = {
  1: { of: 'proxy', message: 'the proxy failed in general' },
  2: { of: 'proxy', message: 'the proxy does not allow the connection' },
  3: { of: 'target', message: 'the proxy has no network to the target' },
  4: { of: 'target', message: 'the proxy cannot reach the host' },
  5: { of: 'target', message: 'the proxy was refused the connection to the target' },
  6: { of: 'target', message: 'the proxy gave up: the time to live expired' },
  7: { of: 'proxy', message: 'the proxy does not support connections' },
  8: { of: 'proxy', message: 'the proxy does not support addresses of this type' },
}
const NOT_SOCKS: HandshakeFault = { of: 'proxy', message: 'the proxy does not speak SOCKS5' }

/** RFC 1928, with the login of RFC 1929. */
function* connectSocks({ username, password }: Proxy, { host, port }: Destination): Handshake {
  const methods = username === '' ? [NO_LOGIN] : [NO_LOGIN, PASSWORD_LOGIN]
  const [version, method] = yield { send: Buffer.from([VERSION, methods.length, ...methods]), wait: 2 }
  if (version !== VERSION) return NOT_SOCKS
  if (method === NO_METHOD)
    return {
      of: 'proxy',
      message: username === '' ? 'the proxy wants a user name and a password' : 'the proxy accepts no user name and password',
    }
  if (!methods.includes(method ?? NO_METHOD)) return NOT_SOCKS
  if (method === PASSWORD_LOGIN) {
    const [user, secret] = [Buffer.from(username), Buffer.from(password)]
    const [loginVersion, status] = yield {
      send: Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([secret.length]), secret]),
      wait: 2,
    }
    if (loginVersion !== 1) return NOT_SOCKS
    if (status !== 0) return { of: 'proxy', message: 'the proxy refused the user name or the password' }
  }
  return yield* connectSocksTo(host, port)
}

function* connectSocksTo(host: string, port: number): Handshake {
  if (host.length > 255) return { of: 'target', message: 'the proxy cannot be given a name of more than 255 characters' }
  const head = yield {
    send: Buffer.concat([Buffer.from([VERSION, 1, 0]), addressOf(host), Buffer.from([port >> 8, port & 0xff])]),
    wait: 5,
    isConnecting: true,
  }
  const [version, reply = 0, reserved, type, length = 0] = head
  if (version !== VERSION || reserved !== 0) return NOT_SOCKS
  if (reply !== 0) return REPLIES[reply] ?? NOT_SOCKS
  const left = type === IPV4 ? 3 : type === IPV6 ? 15 : type === DOMAIN ? length : undefined
  if (left === undefined) return NOT_SOCKS
  // The address that the proxy uses, and its port.
  yield { wait: left + 2 }
  return undefined
}

function addressOf(host: string): Buffer {
  const family = isIP(host)
  if (family === 4) return Buffer.from([IPV4, ...host.split('.').map(Number)])
  if (family === 6) return Buffer.concat([Buffer.from([IPV6]), ipv6Bytes(host)])
  const name = Buffer.from(host)
  return Buffer.concat([Buffer.from([DOMAIN, name.length]), name])
}
