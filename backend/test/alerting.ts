import { openIncident, resolveIncident } from '../src/alerts/incidents/service.ts'
import { lockOpenIncident } from '../src/alerts/incidents/store.ts'
import { inTransaction } from '../src/platform/db/index.ts'
import { encodeId, newId, parseId } from '../src/platform/ids.ts'
import type { Credentials, TestBackend, TestOrganization } from './harness.ts'

/** What lets a test send to a receiver on this machine. */
export const LOCAL_TARGETS = { VEDETTE_ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' }

/** A rule with channels of its own, and incidents of it as the judge would make them. */
export async function alerting(backend: TestBackend, organization: TestOrganization, as: Credentials, rule: object = {}) {
  const db = backend.pool.db
  const call = async (method: string, url: string, body?: unknown) => {
    const answer = await backend.call(method, url, { as, body })
    if (answer.status >= 300) throw new Error(`${method} ${url}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const condition = { metric: 'status', operator: 'equals', value: 'down' }
  const made = await call('POST', '/v1/alert-rules', { name: 'rule', target: { type: 'monitor' }, condition, ...rule })
  const ruleId = parseId('alertRule', made.id) as string
  const channels: string[] = []
  const now = () => new Date(backend.clock.now())
  return {
    call,
    ruleId: made.id as string,
    /** Makes a channel and adds it to the rule. */
    channel: async (
      type: string,
      config: object,
      name: string = type,
    ): Promise<{ id: string; config: Record<string, string> }> => {
      const body = await call('POST', '/v1/channels', { name, type, config })
      channels.push(body.id)
      await call('PATCH', `/v1/alert-rules/${made.id}`, { channel_ids: channels })
      return body
    },
    /** Opens an incident of another monitor each time; gives its stored id. */
    open: async (own: object = {}): Promise<string> => {
      const id = newId()
      const about = { rule_id: ruleId, target_type: 'monitor', target_id: newId(), target_name: 'Shop' } as const
      const rest = {
        severity: 'critical',
        summary: 'Shop is down: no answer',
        silenced: false,
        evidence: { status: 'down' },
      } as const
      const incident = { id, ...about, ...rest, ...own }
      await inTransaction(db, (transaction) => openIncident(transaction, organization.number, incident, now()))
      return id
    },
    acknowledge: (id: string) => backend.call('POST', `/v1/incidents/${encodeId('incident', id)}/acknowledge`, { as, body: {} }),
    resolve: (id: string, why = 'Shop is up') =>
      inTransaction(db, async (transaction) => {
        const open = await lockOpenIncident(transaction, organization.number, id)
        if (open) await resolveIncident(transaction, organization.number, open, why, now())
      }),
    /** Tells what is due, and waits for whoever is told. */
    tell: async (): Promise<void> => {
      await backend.maintenance.beginTelling()
      await backend.maintenance.toldAll()
    },
    /** What waits to be told, the first stored first. */
    waiting: () =>
      db
        .selectFrom('telling')
        .selectAll()
        .where('organization', '=', organization.number)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),
  }
}
export type Alerting = Awaited<ReturnType<typeof alerting>>
