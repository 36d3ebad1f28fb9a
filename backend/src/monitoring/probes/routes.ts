import { ClaimsAnswer, ClaimsBody, ProbeResultsAnswer, ProbeResultsBody, Ref } from '@vedette/shared'
import { probeOf, type RouteDeps } from '../../access/auth/index.ts'
import type { App } from '../../platform/http/index.ts'
import { createCertificateRecorder } from '../certificates/index.ts'
import { claimForProbe, createHangingLoads, type ProbeDeps, storeResults } from './service.ts'

export function probeRoutes(app: App, { principalOf, ...given }: Omit<ProbeDeps, 'loads' | 'certificates'> & RouteDeps): void {
  const deps: ProbeDeps = { ...given, loads: createHangingLoads(given), certificates: createCertificateRecorder() }
  const ending = new AbortController()
  // Ends waiting requests before the server waits for them.
  app.addHook('preClose', async () => ending.abort())

  app.post(
    '/v1/probe/claims',
    {
      schema: {
        operationId: 'claimChecks',
        summary: 'Claim due checks',
        description:
          "Returns checks of the token's region that are due within the next seconds, with definitions and their secrets. Waits up to `wait_seconds` for the first one. Unknown fields are ignored.",
        tags: ['probes'],
        body: Ref(ClaimsBody),
        response: { 200: Ref(ClaimsAnswer) },
      },
      config: { access: 'probe', idempotent: false },
    },
    async (request, reply) => {
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort())
      const signal = AbortSignal.any([gone.signal, ending.signal])
      const answer = await claimForProbe(deps, probeOf(principalOf(request)), request.body, signal)
      // A kept connection would delay the shutdown.
      if (ending.signal.aborted) reply.header('Connection', 'close')
      return answer
    },
  )

  app.post(
    '/v1/probe/results',
    {
      schema: {
        operationId: 'submitCheckResults',
        summary: 'Submit results of checks',
        description:
          'The results are durable before the response, and submitting them again changes nothing. Do not repeat refused results: the check was claimed again, its monitor was changed, or its time is more than 5 minutes ahead or 7 days old. Unknown fields are ignored.',
        tags: ['probes'],
        body: Ref(ProbeResultsBody),
        response: { 202: Ref(ProbeResultsAnswer) },
      },
      config: { access: 'probe', idempotent: false },
    },
    async (request, reply) => {
      reply.code(202)
      return storeResults(deps, probeOf(principalOf(request)), request.body.results)
    },
  )
}
