import { randomUUID } from 'node:crypto'
import type { Credentials, TestBackend, TestOrganization } from './harness.ts'
import { newId, parseId } from '../src/platform/ids.ts'
import { markAlive } from '../src/hosts/servers/index.ts'

/** A server whose agent is the test. */
export interface MeasuredServer {
  id: string
  uuid: string
  /** Of its agent. */
  as: Credentials
  /** Sends samples of the last seconds, ten seconds apart, the newest now: of each field one value per sample. */
  sends(
    fields: Record<string, readonly number[]>,
    more?: {
      agoMs?: number
      filesystems?: object[]
      processes?: object[]
      host?: object
      entities?: object[]
      entity_events?: object[]
    },
  ): Promise<void>
}

export async function measure(backend: TestBackend, organization: TestOrganization): Promise<MeasuredServer> {
  const { id, as } = await backend.server(organization)
  return {
    id,
    as,
    uuid: parseId('server', id) as string,
    sends: async (fields, { agoMs = 0, ...state } = {}) => {
      const now = backend.clock.now()
      const count = Math.max(...Object.values(fields).map(({ length }) => length))
      const columns: Record<string, unknown> = {
        at_ms: Array.from({ length: count }, (_, index) => now - agoMs - (count - 1 - index) * 10_000),
      }
      for (const [name, values] of Object.entries(fields)) {
        const [group, field] = name.split('.') as [string, string]
        columns[group] = { ...(columns[group] as object | undefined), [field]: values }
      }
      const batch = { batch_id: randomUUID(), sent_at: new Date(now).toISOString(), agent_version: '0.1.0', columns }
      const answer = await backend.call('POST', '/v1/agent/metrics', { as, body: { ...batch, ...state } })
      if (answer.body.accepted !== count) throw new Error(JSON.stringify(answer.body))
    },
  }
}

/** An instance that takes pushes from now on; its beats are the test's. */
export function startBeating({ pool, clock }: TestBackend): { beat(): Promise<void> } {
  const instance = { id: newId(), startedAt: new Date(clock.now()) }
  return { beat: () => markAlive(pool.db, instance, new Date(clock.now())) }
}
