import { ALL_FIELDS, CHECK_PHASES, DAY_MS, OUTCOMES, type Process, toTimestamp } from '@vedette/shared'
import { decodePushes, fieldIdOf, readLive, readNewestPushes } from '../../../hosts/metrics/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import { encodeId } from '../../../platform/ids.ts'
import { findNearestProcesses } from '../../../hosts/servers/index.ts'
import { documentationOf, type RuleDocumentation } from './documentation.ts'
import { findDocumentation, findHost, readRegionChecks, type RegionCheckRow } from './evidence-store.ts'

/** The target of an incident. */
export interface EvidenceTarget {
  type: 'monitor' | 'server'
  id: string
  number: number
  /** The host of a monitor's target. */
  server_id?: string | null
}

type Evidence = Record<string, unknown>

/**
 * What is known when an incident opens: the newest check of each region, the state of the host, and what people say about its target and
 * its rule. Bounded in size.
 */
export async function collectEvidence(
  db: Db,
  organization: number,
  target: EvidenceTarget,
  atMs: number,
  rule?: RuleDocumentation,
): Promise<Evidence> {
  const documentation = documentationOf(rule, await findDocumentation(db, organization, target))
  if (target.type === 'server') {
    const host = await hostEvidence(db, organization, target.id, atMs)
    return { ...(host && { host }), ...documentation }
  }
  const checks = (await readRegionChecks(db, organization, target.number, atMs)).map(toCheck)
  const host = target.server_id ? await hostEvidence(db, organization, target.server_id, atMs) : undefined
  return { checks, ...(host && { host }), ...documentation }
}

function toCheck(row: RegionCheckRow): Evidence {
  const { region, state, at, outcome, status_code, error_code: code, error_message: message, address } = row
  const toMs = (us: number | null) => (us === null ? null : us / 1000)
  return {
    region,
    state,
    checked_at: at === null ? null : toTimestamp(at),
    outcome: outcome === null ? null : OUTCOMES[outcome],
    failed_phase: failedPhase(row),
    status_code,
    error: code === null ? null : { code, message },
    answer: row.status_line === null ? null : { status_line: row.status_line, body: row.body },
    address,
    facts: row.facts ?? {},
    certificate_expires_at: row.certificate_expires_at === null ? null : toTimestamp(row.certificate_expires_at),
    response_ms: toMs(row.response_us),
    ...Object.fromEntries(CHECK_PHASES.map((phase) => [`${phase}_ms`, toMs(row[`${phase}_us`])])),
  }
}

/** The phase named by the error code, else the one after the last that was completed. Null where a response arrived. */
function failedPhase(row: RegionCheckRow): string | null {
  const { error_code: code, response_us: response } = row
  if (code === null || response !== null || code === 'blocked') return null
  if (code === 'dns' || code === 'connect' || code === 'tls') return code
  const reached = CHECK_PHASES.findLastIndex((phase) => row[`${phase}_us`] !== null)
  return CHECK_PHASES[reached + 1] ?? 'transfer'
}

/** The metrics that show whether the host is the cause. */
const HOST_FIELDS = [
  'cpu.percent',
  'cpu.iowait_percent',
  'cpu.steal_percent',
  'cpu.cores',
  'cpu.load_1',
  'memory.percent',
  'memory.used_bytes',
  'memory.total_bytes',
  'memory.swap_percent',
  'disk.usage_percent',
  'disk.read_iops',
  'disk.write_iops',
] as const
const HOST_FIELD_IDS = new Set(HOST_FIELDS.flatMap((name) => fieldIdOf(name) ?? []))
const NAMES = new Map(ALL_FIELDS.map(({ id, group, name }) => [id, `${group}.${name}`]))
const TOP = 5
const MAX_PROCESS_AGE_MS = DAY_MS

async function hostEvidence(db: Db, organization: number, serverId: string, atMs: number): Promise<Evidence | undefined> {
  const host = await findHost(db, organization, serverId)
  if (!host) return undefined
  const { number: server } = host
  const [pushes = []] = await readNewestPushes(db, [{ organization, server, sinceMs: 0 }], 1, atMs)
  const processes = await findNearestProcesses(db, organization, server, atMs, atMs - MAX_PROCESS_AGE_MS)
  const [push] = pushes
  const values = [...readLive(decodePushes(pushes, HOST_FIELD_IDS))].map(([id, { newest }]) => [NAMES.get(id), newest])
  return {
    server_id: encodeId('server', host.id),
    name: host.name,
    sampled_at: push ? toTimestamp(push.tLastMs) : null,
    ...Object.fromEntries(values),
    ...(processes && { processes_at: toTimestamp(processes.atMs), top_processes: topOf(processes.processes) }),
  }
}

/** The processes with the highest CPU and memory use, each once. */
function topOf(processes: readonly Process[]): Process[] {
  const most = (pick: (process: Process) => number | null) =>
    processes.toSorted((one, other) => (pick(other) ?? -1) - (pick(one) ?? -1)).slice(0, TOP)
  return [...new Set([...most(({ cpu_percent }) => cpu_percent), ...most(({ memory_bytes }) => memory_bytes)])]
}
