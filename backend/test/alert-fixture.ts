import { openIncident, resolveIncident } from '../src/alerting/incidents/lifecycle.ts'
import { lockOpenIncident } from '../src/alerting/incidents/store.ts'
import { inTransaction } from '../src/platform/db/index.ts'
import { encodeId, newId, parseId } from '../src/platform/ids.ts'
import type { Credentials, TestBackend, TestOrganization } from './harness.ts'

/** What lets a test send to a receiver on this machine, each incident at once. */
export const LOCAL_TARGETS = { VEDETTE_ALLOW_PRIVATE_TARGETS: '127.0.0.0/8', VEDETTE_NOTIFICATION_GROUP_SECONDS: '0' }

/** A rule with its own channels, and its incidents as the evaluation opens them. */
export async function createAlertFixture(
  backend: TestBackend,
  organization: TestOrganization,
  as: Credentials,
  rule: object = {},
) {
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
    /** Starts the deliveries that are due, and waits until they end. */
    deliver: async (): Promise<void> => {
      await backend.jobs.startDeliveries()
      await backend.jobs.idle()
    },
    /** The pending deliveries in the order in which they were stored. */
    waiting: () =>
      db
        .selectFrom('notification_delivery')
        .selectAll()
        .where('organization', '=', organization.number)
        .orderBy('position')
        .execute(),
  }
}
export type AlertFixture = Awaited<ReturnType<typeof createAlertFixture>>
