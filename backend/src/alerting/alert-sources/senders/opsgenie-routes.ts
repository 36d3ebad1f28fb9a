import type { FastifyReply, FastifyRequest } from 'fastify'
import { listTargetsByName, type PingStore } from '../../../monitoring/heartbeats/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import type { ApiError } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/index.ts'
import { newId } from '../../../platform/ids.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { heartbeatNameOf, opsgenie, opsgenieAnswers, type OpsgenieAction, readOpsgenieAction } from '../formats/opsgenie.ts'
import { OWN_PATHS } from '../paths.ts'
import { parsedBody, requireKnown, type SenderDeps, senderRoutes, takeJson, takeRequest, tokenOf } from './sender-routes.ts'

export interface OpsgenieDeps extends SenderDeps {
  db: Db
  clock: Clock
  pings: Pick<PingStore, 'take'>
}

const TYPE = 'opsgenie'
const PATH = `${OWN_PATHS.opsgenie}/:token/v2` as const
const ACTIONS = ['close', 'acknowledge', 'unacknowledge', 'notes'] as const satisfies OpsgenieAction[]

interface NamedRequest {
  identifier: string
}

/** Alert API v2 and the ping of Heartbeat API v2: what a client of Opsgenie calls with this path in place of `https://api.opsgenie.com`. */
export function opsgenieRoutes(app: App, deps: OpsgenieDeps): void {
  const { get, post } = senderRoutes(deps, opsgenieError)
  app.register(async (scope) => {
    takeJson(scope)
    scope.post(`${PATH}/alerts`, post, async (request, reply) => {
      const read = () => opsgenie.read({ body: parsedBody(request).value, headers: {}, nowMs: 0 }).alerts
      await takeRequest(deps, request, { type: TYPE, read })
      return answer(reply, opsgenieAnswers.accepted(timingOf(reply, read()[0]?.key)))
    })
    for (const action of ACTIONS)
      scope.post(`${PATH}/alerts/:identifier/${action}`, post, async (request, reply) => {
        const { identifier } = request.params as NamedRequest
        const { identifierType } = request.query as { identifierType?: string }
        const read = () => [readOpsgenieAction(action, { identifier, identifierType }, { body: parsedBody(request).value })]
        await takeRequest(deps, request, { type: TYPE, read })
        return answer(reply, opsgenieAnswers.accepted(timingOf(reply, identifier)))
      })
    scope.get(`${PATH}/alerts/requests/:identifier`, get, async (request, reply) => {
      await requireKnown(deps, request, deps.intake.find(tokenOf(request), TYPE))
      const { identifier } = request.params as NamedRequest
      return answer(reply, opsgenieAnswers.processed(keyOfRequest(identifier), { ...timingOf(reply), requestId: identifier }))
    })
    const ping = (request: FastifyRequest, reply: FastifyReply) => pingNamed(deps, request, reply)
    scope.get(`${PATH}/heartbeats/:identifier/ping`, get, ping)
    scope.post(`${PATH}/heartbeats/:identifier/ping`, post, ping)
  })
}

/** As Opsgenie, which answers before it looks, it says nothing of whether there is a heartbeat of the name; of two none is pinged. */
async function pingNamed(deps: OpsgenieDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const source = await requireKnown(deps, request, deps.intake.find(tokenOf(request), TYPE))
  const name = heartbeatNameOf((request.params as NamedRequest).identifier)
  const [target, ...others] = await listTargetsByName(deps.db, source.organization, name)
  if (target && others.length === 0)
    await deps.pings.take({
      target,
      kind: 'success',
      atMs: Math.round(deps.clock.now()),
      rid: null,
      exitCode: null,
      reportedMs: null,
      method: request.method,
      address: request.ip,
      userAgent: null,
      body: null,
    })
  return answer(reply, opsgenieAnswers.pong(timingOf(reply)))
}

const answer = (reply: FastifyReply, { status, body }: { status: number; body: object }): FastifyReply =>
  reply.code(status).send(body)

/** The id of a request names its alert, so that nothing is kept to answer what became of it. */
function timingOf(reply: FastifyReply, key?: string): { requestId: string; tookMs: number } {
  const requestId = key === undefined || key.length > MAX_KEY ? newId() : Buffer.from(key).toString('base64url')
  return { requestId, tookMs: Math.round(reply.elapsedTime) }
}

const MAX_KEY = 512
const keyOfRequest = (id: string): string => Buffer.from(id, 'base64url').toString()

function opsgenieError({ code, status, message, details }: ApiError): { status: number; body: object } {
  const timing = { requestId: newId(), tookMs: 0 }
  if (code === 'validation_error') return opsgenieAnswers.refused({ message, details }, timing)
  return { status, body: { message, took: 0, requestId: timing.requestId } }
}
