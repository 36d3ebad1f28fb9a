import { ID_PREFIX, MAX_BATCHES_PER_REQUEST, type PushAnswer, scopesHave, toTimestamp } from '@vedette/shared'
import { type Caller, tenantOf } from '../../../access/auth/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import { ApiError } from '../../../platform/errors.ts'
import { encodeId, newRandomId } from '../../../platform/ids.ts'
import { findServerOfMachine, registerServer, type ServerDeps } from '../../servers/index.ts'
import { type CounterState, type Received, type ReceivedSeries, toHostSamples } from '../decoding/index.ts'

export interface CollectorHostDeps extends ServerDeps {
  db: Db
  /** As an agent's push. */
  push(principal: Caller['principal'], takeBody: () => unknown): Promise<PushAnswer>
}

export interface CollectorHosts {
  /** Stores what a collector says of hosts as samples of servers; returns in words what is refused. */
  record(caller: Caller, received: Received): Promise<string[]>
}

/** Some 10 kB each. Of a host that is dropped one sample has no rates. */
const MAX_HOSTS = 2_000
const NAME_LENGTH = 128
const AGENT_VERSION = 'opentelemetry'

/** Hosts that a collector of OpenTelemetry measures are servers, as far as the key may register some. */
export function createCollectorHosts(deps: CollectorHostDeps): CollectorHosts {
  const hosts = new Map<string, { counters: CounterState; newestMs: number }>()

  async function serverOf(caller: Caller, machineId: string, hostname: string): Promise<string> {
    const known = await findServerOfMachine(deps.db, tenantOf(caller.principal).number, machineId)
    if (known !== undefined) return encodeId('server', known)
    const facts = { os: 'unknown', kernel: 'unknown', arch: 'unknown', agent_version: AGENT_VERSION }
    const { answer } = await registerServer(deps, caller, { machine_id: machineId, hostname, ...facts })
    return answer.server_id
  }

  async function recordHost(caller: Caller, resource: ReadonlyMap<string, string>, series: readonly ReceivedSeries[]) {
    const hostname = (resource.get('host.name') ?? resource.get('host.id') ?? '').slice(0, NAME_LENGTH)
    const machineId = (resource.get('host.id') ?? hostname).slice(0, NAME_LENGTH)
    const key = `${tenantOf(caller.principal).number}/${machineId}`
    const before = hosts.get(key) ?? { counters: new Map(), newestMs: 0 }
    const { samples: all, state: counters } = toHostSamples(series, before.counters)
    // One that is sent again would have no rates, and stand in place of the first.
    const samples = all.filter(({ atMs }) => atMs > before.newestMs)
    // What is sent again after a failure has to find the state before it.
    const keep = () => {
      if (hosts.size >= MAX_HOSTS) hosts.clear()
      hosts.set(key, { counters, newestMs: Math.max(before.newestMs, ...samples.map(({ atMs }) => atMs)) })
    }
    if (samples.length === 0) return keep()
    const serverId = await serverOf(caller, machineId, hostname)
    const batches = samples.slice(-MAX_BATCHES_PER_REQUEST).map(({ atMs, values }) => ({
      batch_id: newRandomId(),
      sent_at: toTimestamp(deps.clock.now()),
      agent_version: AGENT_VERSION,
      samples: [{ at: toTimestamp(atMs), ...values }],
    }))
    await deps.push(caller.principal, () => ({ server_id: serverId, batches }))
    return keep()
  }

  return {
    record: async (caller, { series }) => {
      const { principal } = caller
      if (principal.kind !== 'api_key' || !scopesHave(principal.scopes, 'servers:register')) return []
      const refused: string[] = []
      const ofHosts = Map.groupBy(series, ({ resource }) => resource)
      for (const [resource, own] of ofHosts) {
        // A host of ours that an export sends back would be a server again, and be sent again.
        if (!resource || resource.get('host.id')?.startsWith(`${ID_PREFIX.server}_`)) continue
        try {
          await recordHost(caller, resource, own)
        } catch (error) {
          if (!(error instanceof ApiError) || error.status >= 500) throw error
          refused.push(`host ${resource.get('host.name') ?? resource.get('host.id') ?? ''}: ${error.message}`)
        }
      }
      return refused
    },
  }
}
