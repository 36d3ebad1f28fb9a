import type { DefinitionOf } from '@vedette/shared'
import { closeConnection, type Connection } from '../../connect/connection.ts'
import type { Fault } from '../../phases/fault.ts'
import type { TlsOutcome } from '../../tls/handshake.ts'
import { CheckFault } from '../conversation/check-fault.ts'
import { pathNameOf } from '../conversation/conversation.ts'
import type { Attempt, CheckKind } from '../kind.ts'
import { NO_HOST, targetOfUrl } from '../url-target.ts'
import { callGrpc, type GrpcAnswer, type GrpcCall } from './call.ts'
import { decodeResponse, encodeRequest, SERVING } from './health.ts'

type GrpcCheck = DefinitionOf<'grpc'>

/** One call of `grpc.health.v1.Health/Check`: a service that is SERVING is up. */
export const grpc: CheckKind<GrpcCheck> = {
  type: 'grpc',
  hostOf: ({ url }) => targetOfUrl(url, 0)?.host ?? '',
  start(definition, attempt, tools) {
    const { url, options, credentials, timeout } = definition
    const isSecure = url.toLowerCase().startsWith('grpcs:')
    const target = targetOfUrl(url, isSecure ? 443 : 80)
    if (!target) return attempt.fail(NO_HOST)
    const { host, port } = target
    const { timeline, facts } = attempt
    const call: GrpcCall = {
      authority: `${host.includes(':') ? `[${host}]` : host}:${port}`,
      path: '/grpc.health.v1.Health/Check',
      isSecure,
      message: encodeRequest(pathNameOf(url)),
      timeoutSeconds: timeout,
      bearerToken: credentials.bearer_token,
    }
    const receive = attempt.safely((answer: GrpcAnswer | Fault) => {
      if ('code' in answer) attempt.fail(answer)
      else finish(definition, attempt, answer)
    })
    const proceed = attempt.safely((connection: Connection | Fault) => {
      if ('code' in connection) return attempt.fail(connection)
      facts.address = connection.address
      attempt.hold(() => closeConnection(connection))
      if (!isSecure) return callGrpc(connection.socket, call, timeline, receive)
      const secured = attempt.safely((outcome: TlsOutcome) => {
        if (outcome.certificate) facts.certificate = outcome.certificate
        if ('fault' in outcome) attempt.fail(outcome.fault)
        else if (outcome.socket.alpnProtocol !== 'h2') attempt.fail({ code: 'tls', message: 'the target does not offer HTTP/2' })
        else callGrpc(outcome.socket, call, timeline, receive)
      })
      tools.tls.start(connection, { host, verify: options.verify_tls, protocol: 'h2' }, timeline, secured)
    })
    attempt.hold(tools.connector.connect({ host, port, plain: false }, timeline, proceed))
  },
}

const NAMES: Partial<Record<number, string>> = {
  4: 'DEADLINE_EXCEEDED',
  5: 'NOT_FOUND',
  7: 'PERMISSION_DENIED',
  12: 'UNIMPLEMENTED',
  14: 'UNAVAILABLE',
  16: 'UNAUTHENTICATED',
}

/** Assertions on a status decide in place of the rule that only SERVING is up. */
function finish({ assertions }: GrpcCheck, attempt: Attempt, { status, text, bytes }: GrpcAnswer): void {
  const { figures } = attempt.facts
  figures['grpc_status'] = status
  const name = NAMES[status] ?? ''
  attempt.facts.statusLine = `grpc-status ${status}${name === '' ? '' : ` ${name}`}${text === '' ? '' : `: ${text}`}`
  try {
    if (status === 0) figures['serving_status'] = decodeResponse(bytes)
  } catch (error) {
    if (error instanceof CheckFault) return attempt.fail(error.fault)
    throw error
  }
  const serving = figures['serving_status']
  const hasOwnRule = assertions.some(({ type }) => type === 'serving_status' || type === 'grpc_status')
  if (hasOwnRule || serving === SERVING) return attempt.answer({ headers: new Map(), body: Buffer.from(String(serving ?? '')) })
  const message = status === 0 ? `the service is ${serving}` : `the call failed: ${attempt.facts.statusLine}`
  attempt.fail({ code: 'status', message })
}
