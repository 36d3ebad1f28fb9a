import { toTimestamp } from '@vedette/shared'
import { addAnnotation, type AnnotationDeps } from '../../../monitoring/annotations/index.ts'
import type { ApiError } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/index.ts'
import { dedupKeyOf, pagerDutyAnswers, readPagerDutyChange } from '../formats/pagerduty.ts'
import {
  actorAt,
  parsedBody,
  requireKnown,
  type SenderDeps,
  senderRoutes,
  takeJson,
  takeRequest,
  tokenOf,
} from './sender-routes.ts'
import { OWN_PATHS } from '../paths.ts'

export type PagerDutyDeps = SenderDeps & AnnotationDeps

const TYPE = 'pagerduty_v2'
const PATH = `${OWN_PATHS.pagerduty_v2}/:token/v2` as const

/** Events API v2: what a client of PagerDuty calls with this path in place of `https://events.pagerduty.com`. */
export function pagerDutyRoutes(app: App, deps: PagerDutyDeps): void {
  const { post } = senderRoutes(deps, pagerDutyError)
  app.register(async (scope) => {
    takeJson(scope)
    scope.post(`${PATH}/enqueue`, post, async (request, reply) => {
      await takeRequest(deps, request, { type: TYPE })
      const { status, body } = pagerDutyAnswers.accepted(dedupKeyOf(parsedBody(request).value))
      return reply.code(status).send(body)
    })
    scope.post(`${PATH}/change/enqueue`, post, async (request, reply) => {
      const { organization, tags } = await requireKnown(deps, request, deps.intake.find(tokenOf(request), TYPE))
      const { atMs, text, url } = readPagerDutyChange({ body: parsedBody(request).value })
      await addAnnotation(deps, organization, actorAt(request), {
        text,
        url,
        tags,
        ...(atMs !== null && { at: toTimestamp(atMs) }),
      })
      const { status, body } = pagerDutyAnswers.changeAccepted()
      return reply.code(status).send(body)
    })
  })
}

function pagerDutyError({ code, status, message, details }: ApiError): { status: number; body: object } {
  if (code === 'validation_error') return pagerDutyAnswers.refused({ message, details })
  return { status, body: { status: code === 'rate_limited' ? 'throttle exceeded' : code, message, errors: [message] } }
}
