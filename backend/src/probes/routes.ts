import { ClaimsAnswer, ClaimsBody, ProbeResultsAnswer, ProbeResultsBody, Ref } from '@vedette/shared'
import { probeOf, type Principal } from '../auth/index.ts'
import type { App } from '../platform/http/index.ts'
import { claimForProbe, createHangingLoads, type ProbeDeps, takeResults } from './service.ts'

export interface ProbeRouteDeps extends Omit<ProbeDeps, 'loads'> {
  principalOf(request: object): Principal
}

export function probeRoutes(app: App, { principalOf, ...given }: ProbeRouteDeps): void {
  const deps: ProbeDeps = { ...given, loads: createHangingLoads(given) }
  const ending = new AbortController()
  // Before the requests under way are waited for: a held one would hold up the end.
  app.addHook('preClose', async () => ending.abort())

  app.post(
    '/v1/probe/claims',
    {
      schema: {
        operationId: 'claimChecks',
        summary: 'Ask for checks to make',
        description:
          "Checks of the token's region that are due within the next seconds, definitions and their secrets included; held for up to `wait_seconds` until there are some. Unknown fields are ignored.",
        tags: ['probes'],
        body: Ref(ClaimsBody),
        response: { 200: Ref(ClaimsAnswer) },
      },
      config: { access: 'probe' },
    },
    async (request, reply) => {
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort())
      const signal = AbortSignal.any([gone.signal, ending.signal])
      const answer = await claimForProbe(deps, probeOf(principalOf(request)), request.body, signal)
      // Kept open it would be waited for at the end.
      if (ending.signal.aborted) reply.header('Connection', 'close')
      return answer
    },
  )

  app.post(
    '/v1/probe/results',
    {
      schema: {
        operationId: 'submitCheckResults',
        summary: 'Bring results of checks',
        description:
          'Durable before the answer, and harmless when repeated. Refused ones are not to be sent again: the check went to somebody else, the monitor was changed meanwhile, or the time is more than 5 minutes ahead or 7 days old. Unknown fields are ignored.',
        tags: ['probes'],
        body: Ref(ProbeResultsBody),
        response: { 202: Ref(ProbeResultsAnswer) },
      },
      config: { access: 'probe' },
    },
    async (request, reply) => {
      reply.code(202)
      return takeResults(deps, probeOf(principalOf(request)), request.body.results)
    },
  )
}
