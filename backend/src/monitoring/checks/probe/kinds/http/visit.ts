import { type NetworkOptions, truncateText } from '@vedette/shared'
import { closeConnection, type Connection } from '../../connect/connection.ts'
import type { Attempt, ProbeFacts, ProbeTools } from '../kind.ts'
import type { Fault } from '../../phases/fault.ts'
import type { ClientCertificate } from '../../tls/context.ts'
import type { TlsOutcome } from '../../tls/handshake.ts'
import type { Exchanged, ExchangeFault, HttpAnswer, OnHead } from '../../http/answer.ts'
import { type CookieJar, createCookieJar, withoutCookies } from '../../http/cookies.ts'
import { exchangeHttp1, plainChannel, tlsChannel } from '../../http/http1.ts'
import { exchangeHttp2 } from '../../http/http2.ts'
import { isStream } from '../../http/head.ts'
import { inflate } from '../../http/inflate.ts'
import { followRedirect, locationOf, MAX_REDIRECTS } from '../../http/redirect.ts'
import { type HttpRequest, hostOf, portOf } from '../../http/request.ts'

/** A request with its redirects. */
export interface Visit {
  attempt: Attempt
  tools: ProbeTools
  request: HttpRequest
  followsRedirects: boolean
  verifiesTls: boolean
  network: Pick<NetworkOptions, 'http_version' | 'alpn'>
  /** Shown to the first origin alone. */
  clientCertificate?: ClientCertificate | undefined
  /** What redirects of this check have set before. */
  cookies?: CookieJar
  /** Where to record what is observed. */
  facts: ProbeFacts
  /** Called when all of the last response is here, before its body is decompressed. */
  arrived?: () => void
  /** Called once with the last response, decompressed, whose connection is closed, or with why there is none. */
  done(outcome: HttpAnswer | Fault): void
}

/** One request of a visit. */
interface Hop extends Visit {
  cookies: CookieJar
  /** Redirects before this hop. */
  redirects: number
  hasChangedProtocol: boolean
}

/** Sends a request over HTTP/1.1, or over HTTP/2 when the target speaks nothing else, and follows its redirects. */
export function visit(one: Visit): void {
  const { cookies = createCookieJar(one.attempt.startedAtMs) } = one
  visitHop({ ...one, cookies, redirects: 0, hasChangedProtocol: false })
}

/** Connect, TLS for https, request, response. */
function visitHop(hop: Hop): void {
  const { attempt, tools, request, facts } = hop
  const isPlain = request.url.protocol === 'http:'
  const isPlainHttp2 = isPlain && hop.network.http_version === '2'
  const target = { host: hostOf(request.url), port: portOf(request.url), plain: isPlain && !isPlainHttp2 }
  const before = { ...attempt.timeline.us }
  facts.certificate = null
  facts.url = request.url.href
  const proceed = attempt.safely((outcome: Connection | Fault) => {
    if ('code' in outcome) return hop.done(outcome)
    facts.address = outcome.address
    attempt.hold(() => closeConnection(outcome))
    if (!isPlain) return secure(hop, outcome, before)
    const receiveHere = attempt.safely((answer: HttpAnswer | ExchangeFault) => receive(hop, outcome, answer))
    // Without TLS nobody agrees on a protocol: it is known before (RFC 9113, section 3.3).
    if (isPlainHttp2) exchangeHttp2(outcome.socket, withCookies(hop), attempt.timeline, onHeadOf(hop), receiveHere)
    else exchangeHttp1(plainChannel(outcome), withCookies(hop), attempt.timeline, onHeadOf(hop), receiveHere)
  })
  attempt.hold(tools.connector.connect(target, attempt.timeline, proceed))
}

function secure(hop: Hop, connection: Connection, before: Attempt['timeline']['us']): void {
  const { attempt, tools, request, facts } = hop
  const { timeline } = attempt
  const { http_version: version = 'auto', alpn = [] } = hop.network
  const isFree = version === 'auto' && alpn.length === 0
  const known = tools.http2Only.has(request.url.host) ? 'h2' : 'http/1.1'
  const protocol = version === '2' ? 'h2' : isFree ? known : 'http/1.1'
  const changeProtocol = () => {
    closeConnection(connection)
    if (protocol === 'h2') tools.http2Only.delete(request.url.host)
    else rememberHttp2(tools, request.url.host)
    // The wasted connection is left out of the times: a visitor would not have made it.
    timeline.rewind(before)
    visitHop({ ...hop, hasChangedProtocol: true })
  }
  const receiveHere: Exchanged = attempt.safely((answer: HttpAnswer | ExchangeFault) => {
    if ('code' in answer && answer.wantsHttp2 === true && isFree && !hop.hasChangedProtocol) changeProtocol()
    else receive(hop, connection, answer)
  })
  const { verifiesTls: verify, clientCertificate } = hop
  const options = { host: hostOf(request.url), verify, protocol, ...(clientCertificate && { clientCertificate }) } as const
  const proceed = attempt.safely((outcome: TlsOutcome) => {
    if (outcome.certificate) facts.certificate = outcome.certificate
    if ('fault' in outcome) {
      if (outcome.wantsOther === true && isFree && !hop.hasChangedProtocol) changeProtocol()
      else hop.done(outcome.fault)
    } else if (version === '2' && outcome.socket.alpnProtocol !== 'h2') {
      hop.done({ code: 'tls', message: 'the target does not offer HTTP/2' })
    } else if ((outcome.socket.alpnProtocol || protocol) === 'h2') {
      exchangeHttp2(outcome.socket, withCookies(hop), timeline, onHeadOf(hop), receiveHere)
    } else {
      exchangeHttp1(tlsChannel(connection, outcome.socket), withCookies(hop), timeline, onHeadOf(hop), receiveHere)
    }
  })
  tools.tls.start(connection, options, timeline, proceed)
}

const cookieIn = ({ headers }: HttpRequest): string | undefined =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === 'cookie')?.[1]

/** The request with another field `Cookie`. */
function withCookie(request: HttpRequest, field: string | undefined): HttpRequest {
  if (field === cookieIn(request)) return request
  const others = Object.entries(request.headers).filter(([name]) => name.toLowerCase() !== 'cookie')
  return { ...request, headers: { ...Object.fromEntries(others), ...(field !== undefined && { Cookie: field }) } }
}

const withCookies = ({ request, cookies }: Hop): HttpRequest =>
  withCookie(request, cookies.fieldFor(request.url, cookieIn(request)))

const MAX_HTTP2_HOSTS = 10_000

/** Later checks of that host begin with HTTP/2. */
function rememberHttp2({ http2Only }: ProbeTools, host: string): void {
  if (http2Only.size >= MAX_HTTP2_HOSTS) http2Only.clear()
  http2Only.add(host)
}

/** Stored at once, so that an endless response has a status. The body of a followed redirect and of a stream is not read. */
const onHeadOf = ({ facts, followsRedirects }: Hop): OnHead => {
  return (head) => {
    const { version, statusCode, statusLine, headers } = head
    facts.statusCode = statusCode
    facts.statusLine = statusLine
    facts.httpVersion = version
    return isStream(head) || (followsRedirects && locationOf(statusCode, headers) !== undefined)
  }
}

/** Shorter values of cookies may be words. */
const SESSION_LENGTH = 16

function receive(hop: Hop, connection: Connection, answer: HttpAnswer | ExchangeFault): void {
  if ('code' in answer) return hop.done(answer)
  closeConnection(connection)
  const location = hop.followsRedirects ? locationOf(answer.statusCode, answer.headers) : undefined
  if (location === undefined) return decompress(hop, answer)
  if (hop.redirects >= MAX_REDIRECTS)
    return hop.done({ code: 'protocol', message: `the target redirects more than ${MAX_REDIRECTS} times` })
  const next = followRedirect(hop.request, answer.statusCode, location)
  if ('code' in next) return hop.done(next)
  const isSameOrigin = next.url.origin === hop.request.url.origin
  const stored = hop.cookies.store(answer.setCookies, hop.request.url)
  for (const { value } of stored) if (value.length >= SESSION_LENGTH) hop.attempt.addSecret(value)
  visitHop({
    ...hop,
    // What the target sets goes before what the monitor has.
    request: withCookie(
      next,
      withoutCookies(
        cookieIn(next),
        stored.map(({ name }) => name),
      ),
    ),
    redirects: hop.redirects + 1,
    hasChangedProtocol: false,
    ...(!isSameOrigin && { clientCertificate: undefined }),
  })
}

function decompress({ attempt, arrived, done }: Hop, answer: HttpAnswer): void {
  arrived?.()
  const coding = answer.headers.get('content-encoding')
  const message = `the body is not what its content-encoding says (${truncateText(coding ?? '', 40)})`
  const proceed = (body: Buffer | undefined) => done(body ? { ...answer, body } : { code: 'protocol', message })
  inflate(answer.body, coding, attempt.safely(proceed))
}
