import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import type { Description, PublishedRoute } from './published-routes.ts'
import { valuesOf } from './schema-arbitrary.ts'

/** Some of the values of these only few may give, and the schema does not say what is a URL or an instant. */
const MODEST = {
  role: 'viewer',
  scopes: ['read'],
  url: 'https://example.com/',
  starts_at: '2026-11-22T01:00:00.000Z',
  ends_at: '2026-11-22T03:00:00.000Z',
  not_after: '2027-03-31T00:00:00.000Z',
}
/** Which conditions a rule may have depends on its target. */
const MODEST_RULE = { target: { type: 'monitor' }, condition: { metric: 'status', operator: 'equals', value: 'down' } }
/** Of a reclassification. */
const PAST = { from: '2026-11-20T01:00:00.000Z', to: '2026-11-20T03:00:00.000Z' }
/** The name that confirms a deletion: what everything else is asked about stays. */
const HARMLESS = { name: 'nothing is called so' }

/** That a batch holds samples or columns its schema does not say. */
function onePush(nowMs: number): object {
  const at = new Date(nowMs).toISOString()
  return { batch_id: randomUUID(), sent_at: at, agent_version: '0.1.0', samples: [{ at, cpu: { percent: 1 } }] }
}

/** The least body that a route takes, undefined where it takes none: what is refused is refused for another reason. */
export type MinimalBody = (route: PublishedRoute | undefined) => unknown

export function createMinimalBody({ components }: Description, nowMs: () => number): MinimalBody {
  return (route) => {
    if (!route?.body) return undefined
    if (route.name === 'POST /v1/agent/metrics') return onePush(nowMs())
    const making = { components: components.schemas, style: 'least', nowMs: nowMs() } as const
    const body = fc.sample(valuesOf(route.body, making), { numRuns: 1, seed: 7 })[0]
    const fields = Object.entries(route.method === 'DELETE' ? HARMLESS : MODEST)
    const modest = { ...(body as object), ...Object.fromEntries(fields.filter(([name]) => Object.hasOwn(body as object, name))) }
    if (route.name.endsWith('/reclassifications')) return { ...modest, ...PAST }
    return 'condition' in modest && 'target' in modest ? { ...modest, ...MODEST_RULE } : modest
  }
}
