import { ID_PREFIX, MAX_BATCHES_PER_REQUEST, type PushAnswer, scopesHave, toTimestamp } from '@vedette/shared'
import { type Caller, tenantOf } from '../../../access/auth/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import { ApiError } from '../../../platform/errors.ts'
import { encodeId, newRandomId } from '../../../platform/ids.ts'
import { findServerOfMachine, registerServer, type ServerDeps } from '../../servers/index.ts'
import { type HostState, type LabelSet, NEW_HOST, type Received, type ReceivedSeries, toHostSamples } from '../decoding/index.ts'

export interface CollectorHostDeps extends ServerDeps {
  db: Db
  /** As an agent's push. */
  push(principal: Caller['principal'], takeBody: () => unknown): Promise<PushAnswer>
}

export interface CollectorHosts {
  /** Stores what a collector or node_exporter says of hosts as samples of servers; returns in words what is refused. */
  record(caller: Caller, received: Received): Promise<string[]>
}

/** Some 10 kB each. Of a host that is dropped one sample has no rates. */
const MAX_HOSTS = 2_000
const NAME_LENGTH = 128

/** A host as one request names it. */
interface NamedHost {
  machineId: string
  hostname: string
  agentVersion: string
  series: readonly ReceivedSeries[]
  /** One sample of it may come in several requests. */
  isCut: boolean
}

/**
 * Hosts that a collector of OpenTelemetry measures are servers, and with a key whose jobs are `node` those of node_exporter, as far as
 * the key may register some.
 */
export function createCollectorHosts(deps: CollectorHostDeps): CollectorHosts {
  const hosts = new Map<string, { state: HostState; newestMs: number; uname: LabelSet | undefined }>()

  async function serverOf(caller: Caller, { machineId, hostname, agentVersion }: NamedHost, uname: LabelSet | undefined) {
    const known = await findServerOfMachine(deps.db, tenantOf(caller.principal).number, machineId)
    if (known !== undefined) return encodeId('server', known)
    const said = (label: string) => valueOf(uname, label)?.slice(0, NAME_LENGTH)
    const { answer } = await registerServer(deps, caller, {
      machine_id: machineId,
      hostname: said('nodename') ?? hostname,
      os: said('sysname') ?? 'unknown',
      kernel: said('release') ?? 'unknown',
      arch: said('machine') ?? 'unknown',
      agent_version: agentVersion,
    })
    return answer.server_id
  }

  async function recordHost(caller: Caller, host: NamedHost) {
    const { machineId, agentVersion, series, isCut } = host
    const key = `${tenantOf(caller.principal).number}/${machineId}`
    const before = hosts.get(key) ?? { state: NEW_HOST, newestMs: 0, uname: undefined }
    const uname = series.find(({ labels }) => valueOf(labels, '__name__') === UNAME)?.labels ?? before.uname
    const { samples: all, state } = toHostSamples(series, before.state, isCut)
    // One that is sent again would have no rates, and stand in place of the first.
    const samples = all.filter(({ atMs }) => atMs > before.newestMs)
    // What is sent again after a failure has to find the state before it.
    const keep = () => {
      if (hosts.size >= MAX_HOSTS) hosts.clear()
      hosts.set(key, { state, uname, newestMs: Math.max(before.newestMs, ...samples.map(({ atMs }) => atMs)) })
    }
    if (samples.length === 0) return keep()
    const serverId = await serverOf(caller, host, uname)
    const batches = samples.slice(-MAX_BATCHES_PER_REQUEST).map(({ atMs, values }) => ({
      batch_id: newRandomId(),
      sent_at: toTimestamp(deps.clock.now()),
      agent_version: agentVersion,
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
      for (const host of [...collectedHosts(series), ...(principal.series.jobKind === 'node' ? nodesOf(series) : [])])
        try {
          await recordHost(caller, host)
        } catch (error) {
          if (!(error instanceof ApiError) || error.status >= 500) throw error
          refused.push(`host ${host.hostname}: ${error.message}`)
        }
      return refused
    },
  }
}

function collectedHosts(series: readonly ReceivedSeries[]): NamedHost[] {
  return [...Map.groupBy(series, ({ resource }) => resource)].flatMap(([resource, own]) => {
    // A host of ours that an export sends back would be a server again, and be sent again.
    if (!resource || resource.get('host.id')?.startsWith(`${ID_PREFIX.server}_`)) return []
    const hostname = (resource.get('host.name') ?? resource.get('host.id') ?? '').slice(0, NAME_LENGTH)
    const machineId = (resource.get('host.id') ?? hostname).slice(0, NAME_LENGTH)
    return [{ machineId, hostname, agentVersion: 'opentelemetry', series: own, isCut: false }]
  })
}

const UNAME = 'node_uname_info'

/** By `instance`: a scrape has no other name of its host. Prometheus cuts its requests anywhere in a scrape. */
function nodesOf(series: readonly ReceivedSeries[]): NamedHost[] {
  const own = series.filter(
    ({ labels, resource }) =>
      // What we say of our own servers would make them twice.
      !resource && valueOf(labels, '__name__')?.startsWith('node_') === true && valueOf(labels, 'server_id') === undefined,
  )
  return [...Map.groupBy(own, ({ labels }) => valueOf(labels, 'instance'))].flatMap(([instance, ofNode]) => {
    if (instance === undefined) return []
    const machineId = instance.slice(0, NAME_LENGTH)
    const hostname = machineId.replace(/:\d+$/, '')
    return [{ machineId, hostname, agentVersion: 'node_exporter', series: ofNode, isCut: true }]
  })
}

const valueOf = (labels: LabelSet | undefined, wanted: string): string | undefined =>
  labels?.find(([name]) => name === wanted)?.[1]
