import type { DefinitionOf } from '@vedette/shared'
import { closeConnection, type Connection } from '../connect/connection.ts'
import type { Fault } from '../phases/fault.ts'
import type { Exchanged, ExchangeFault, HttpAnswer, OnHead } from '../http/answer.ts'
import { exchangeHttp1, plainChannel, tlsChannel } from '../http/http1.ts'
import { exchangeHttp2 } from '../http/http2.ts'
import { inflate } from '../http/inflate.ts'
import { followRedirect, locationOf, MAX_REDIRECTS } from '../http/redirect.ts'
import { type HttpRequest, hostOf, portOf } from '../http/request.ts'
import type { TlsOutcome } from '../tls/handshake.ts'
import type { Attempt, CheckKind, ProbeTools } from './kind.ts'

/** A request over HTTP/1.1, or over HTTP/2 when the target speaks nothing else, with its redirects. */
export const http: CheckKind<DefinitionOf<'http'>> = {
  type: 'http',
  hostOf: ({ url }) => URL.parse(url)?.hostname ?? '',
  start(definition, attempt, tools) {
    const { method, headers, body } = definition
    const request = { url: new URL(definition.url), method, headers, body: body === null ? undefined : Buffer.from(body) }
    visit({ definition, attempt, tools, request, redirects: 0, hasChangedProtocol: false })
  },
}

/** One request of a check. */
interface Hop {
  definition: DefinitionOf<'http'>
  attempt: Attempt
  tools: ProbeTools
  request: HttpRequest
  /** Redirects before this hop. */
  redirects: number
  hasChangedProtocol: boolean
}

/** Connect, TLS for https, request, response. */
function visit(hop: Hop): void {
  const { attempt, tools, request } = hop
  const isPlain = request.url.protocol === 'http:'
  const target = { host: hostOf(request.url), port: portOf(request.url), plain: isPlain }
  const before = { ...attempt.timeline.us }
  attempt.facts.certificate = null
  const proceed = attempt.safely((outcome: Connection | Fault) => {
    if ('code' in outcome) return attempt.fail(outcome)
    attempt.facts.address = outcome.address
    attempt.hold(() => closeConnection(outcome))
    if (!isPlain) return secure(hop, outcome, before)
    const receiveHere = attempt.safely((answer: HttpAnswer | ExchangeFault) => receive(hop, outcome, answer))
    exchangeHttp1(plainChannel(outcome), request, attempt.timeline, onHeadOf(hop), receiveHere)
  })
  attempt.hold(tools.connector.connect(target, attempt.timeline, proceed))
}

function secure(hop: Hop, connection: Connection, before: Attempt['timeline']['us']): void {
  const { attempt, tools, request, definition } = hop
  const { timeline, facts } = attempt
  const protocol = tools.http2Only.has(request.url.host) ? 'h2' : 'http/1.1'
  const changeProtocol = () => {
    closeConnection(connection)
    if (protocol === 'h2') tools.http2Only.delete(request.url.host)
    else rememberHttp2(tools, request.url.host)
    // The wasted connection is left out of the times: a visitor would not have made it.
    timeline.rewind(before)
    visit({ ...hop, hasChangedProtocol: true })
  }
  const receiveHere: Exchanged = attempt.safely((answer: HttpAnswer | ExchangeFault) => {
    if ('code' in answer && answer.wantsHttp2 === true && !hop.hasChangedProtocol) changeProtocol()
    else receive(hop, connection, answer)
  })
  const options = { host: hostOf(request.url), verify: definition.verify_tls, protocol } as const
  const proceed = attempt.safely((outcome: TlsOutcome) => {
    if (outcome.certificate) facts.certificate = outcome.certificate
    if ('fault' in outcome) {
      if (outcome.wantsOther === true && !hop.hasChangedProtocol) changeProtocol()
      else attempt.fail(outcome.fault)
    } else if ((outcome.socket.alpnProtocol || protocol) === 'h2') {
      exchangeHttp2(outcome.socket, request, timeline, onHeadOf(hop), receiveHere)
    } else {
      exchangeHttp1(tlsChannel(connection, outcome.socket), request, timeline, onHeadOf(hop), receiveHere)
    }
  })
  tools.tls.start(connection, options, timeline, proceed)
}

const MAX_HTTP2_HOSTS = 10_000

/** Later checks of that host begin with HTTP/2. */
function rememberHttp2({ http2Only }: ProbeTools, host: string): void {
  if (http2Only.size >= MAX_HTTP2_HOSTS) http2Only.clear()
  http2Only.add(host)
}

/** Stored at once, so that an endless response has a status. The body of a followed redirect is not read. */
const onHeadOf = ({ attempt, definition }: Hop): OnHead => {
  return ({ version, statusCode, statusLine, headers }) => {
    attempt.facts.statusCode = statusCode
    attempt.facts.statusLine = statusLine
    attempt.facts.httpVersion = version
    return definition.follow_redirects && locationOf(statusCode, headers) !== undefined
  }
}

function receive(hop: Hop, connection: Connection, answer: HttpAnswer | ExchangeFault): void {
  const { attempt, definition } = hop
  if ('code' in answer) return attempt.fail(answer)
  closeConnection(connection)
  const location = definition.follow_redirects ? locationOf(answer.statusCode, answer.headers) : undefined
  if (location === undefined) return finish(attempt, answer)
  if (hop.redirects >= MAX_REDIRECTS)
    return attempt.fail({ code: 'protocol', message: `the target redirects more than ${MAX_REDIRECTS} times` })
  const next = followRedirect(hop.request, answer.statusCode, location)
  if ('code' in next) attempt.fail(next)
  else visit({ ...hop, request: next, redirects: hop.redirects + 1, hasChangedProtocol: false })
}

function finish(attempt: Attempt, { headers, body }: HttpAnswer): void {
  attempt.arrived()
  const coding = headers.get('content-encoding')
  inflate(body, coding, (inflated) => {
    if (inflated) attempt.answer({ headers, body: inflated })
    else attempt.fail({ code: 'protocol', message: `the body is not what its content-encoding says (${coding?.slice(0, 40)})` })
  })
}
