import { readHistory, valuesAt } from '../../backend/src/hosts/entities/index.ts'
import { readSamples } from '../../backend/src/hosts/metrics/index.ts'
import type { Pool } from '../../backend/src/platform/db/index.ts'
import { parseId } from '../../backend/src/platform/ids.ts'
import type { Installation } from './installation.ts'
import { COLUMNS, FATE, type Ledger } from './ledger.ts'
import { ENTITY, type PushAgent } from './push-agent.ts'

/** The accountant's result, of samples and of readings of entities; all but the first four must be 0. */
export interface AuditResult {
  acked: number
  /** Acknowledged readings of entities. */
  readings: number
  unknown: number
  /** Of the unknown ones. */
  unknownStored: number
  lost: number
  doubled: number
  wrong: number
  refusedReturned: number
  /** Instants that nobody sent. */
  stray: number
  /** Rows of an organization that its server is not of, and servers that another organization is shown. */
  foreign: number
  /** Means, maxima and counts over HTTP, or of compacted rows, that differ from the samples. */
  unequal: number
}

const NOTHING: AuditResult = {
  acked: 0,
  readings: 0,
  unknown: 0,
  unknownStored: 0,
  lost: 0,
  doubled: 0,
  wrong: 0,
  refusedReturned: 0,
  stray: 0,
  foreign: 0,
  unequal: 0,
}

/** Reads everything back and holds it to what the agents know. */
export async function audit(installation: Installation, pool: Pool, agents: readonly PushAgent[]): Promise<AuditResult> {
  const result = { ...NOTHING }
  for (const agent of agents) {
    await auditAgent(installation, pool, agent, result)
    await auditEntities(pool, agent, result)
  }
  result.foreign += await foreignRows(pool)
  const organizations = [...new Set(agents.map(({ host }) => host.organizationId))]
  for (const { host } of agents) {
    const other = organizations.find((id) => id !== host.organizationId)
    if (other !== undefined && (await installation.statusOf(`/v1/servers/${host.id}/metrics`, other)) !== 404) result.foreign += 1
  }
  return result
}

async function auditAgent(
  installation: Installation,
  pool: Pool,
  { host, ledger }: PushAgent,
  result: AuditResult,
): Promise<void> {
  const server = await numberOf(pool, host.id)
  const seen = new Uint8Array(ledger.taken)
  const cpu = { count: 0, sum: 0, max: 0 }
  const { read } = await readSamples(pool.db, server, { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY })
  for await (const { atMs, valuesOf } of read()) {
    const columns = Object.entries(COLUMNS).map(([name, value]) => ({ value, stored: valuesOf(name) }))
    for (const [index, at] of atMs.entries()) {
      const number = ledger.numberOf(at)
      if (number === undefined || number >= ledger.taken) {
        result.stray += 1
        continue
      }
      seen[number] = (seen[number] ?? 0) + 1
      const expected = ledger.valuesOf(number)
      if (!columns.every(({ value, stored }) => stored[index] === expected[value])) result.wrong += 1
      cpu.count += 1
      cpu.sum += Math.round(expected.percent * 100)
      cpu.max = Math.max(cpu.max, expected.percent)
    }
  }
  countFates(ledger, seen, result)
  result.unequal += await unequalAnswers(installation, host, ledger, cpu)
  result.unequal += await unequalHours(pool, server)
}

/** Each batch brought one reading, whose value is the number of its first sample. */
async function auditEntities(pool: Pool, { host, ledger, readings }: PushAgent, result: AuditResult): Promise<void> {
  const server = await numberOf(pool, host.id)
  const { rows } = await pool.pg.query<{ number: number }>(
    'select number from entity where organization = $1 and server = $2 and name = $3',
    [server.organization, server.server, ENTITY.name],
  )
  const times = new Map<number, number>()
  const window = { fromMs: ledger.baseMs, toMs: ledger.instantOf(ledger.capacity) }
  for (const { number: entity } of rows)
    for await (const columns of readHistory(pool.db, { ...server, entity, kind: ENTITY.kind }, window))
      for (const [index, at] of columns.atMs.entries()) {
        const number = ledger.numberOf(at)
        if (number === undefined || valuesAt(ENTITY.kind, columns, index)[ENTITY.field] !== number) result.wrong += 1
        else times.set(number, (times.get(number) ?? 0) + 1)
      }
  for (const number of readings) {
    const [fate, count] = [ledger.fateOf(number), times.get(number) ?? 0]
    if (count > 1) result.doubled += 1
    if (fate === FATE.acked) result.readings += 1
    if (fate === FATE.acked && count === 0) result.lost += 1
    if (fate === FATE.refused && count > 0) result.refusedReturned += 1
    times.delete(number)
  }
  result.stray += times.size
}

function countFates(ledger: Ledger, seen: Uint8Array, result: AuditResult): void {
  for (const [number, times] of seen.entries()) {
    const fate = ledger.fateOf(number)
    if (times > 1) result.doubled += 1
    if (fate === FATE.acked) result.acked += 1
    if (fate === FATE.acked && times === 0) result.lost += 1
    if (fate === FATE.unknown) result.unknown += 1
    if (fate === FATE.unknown && times > 0) result.unknownStored += 1
    if (fate === FATE.refused && times > 0) result.refusedReturned += 1
  }
}

interface Metrics {
  metrics: { cpu: { avg_percent: number; max_percent: number } | null }
}

/** A sample that counts twice changes the mean, whichever way it is read. */
async function unequalAnswers(
  installation: Installation,
  { id, organizationId }: PushAgent['host'],
  ledger: Ledger,
  cpu: { count: number; sum: number; max: number },
): Promise<number> {
  if (cpu.count === 0) return 0
  const range = `from=${new Date(ledger.baseMs).toISOString()}&to=${new Date(ledger.instantOf(ledger.taken)).toISOString()}`
  const { metrics } = (await installation.read(`/v1/servers/${id}/metrics?metrics=cpu&${range}`, organizationId)) as Metrics
  const isEqual = metrics.cpu?.avg_percent === cpu.sum / (cpu.count * 100) && metrics.cpu.max_percent === cpu.max
  return isEqual ? 0 : 1
}

/** Hours that still have pushes hold fewer samples than were sent; every other hour must report its own number. */
async function unequalHours(pool: Pool, { organization, server }: { organization: number; server: number }): Promise<number> {
  const { rows } = await pool.pg.query<{ n: number }>(
    `select count(*)::int as n from (
      select t0 / 3600000 as hour, sum(samples) as pushed from metric_push where organization = $1 and server = $2 group by 1
    ) as push join metric_hour as h on h.organization = $1 and h.server = $2 and h.hour = push.hour
    where h.samples > push.pushed`,
    [organization, server],
  )
  return rows[0]?.n ?? 0
}

async function foreignRows(pool: Pool): Promise<number> {
  const { rows } = await pool.pg.query<{ n: number }>(`
    select count(*)::int as n from (
      select organization, server from metric_push union all select organization, server from metric_hour
      union all select organization, server from metric_samples union all select organization, server from metric_day
    ) as stored
    where not exists (select from server where server.organization = stored.organization and server.number = stored.server)`)
  return rows[0]?.n ?? 0
}

async function numberOf(pool: Pool, id: string): Promise<{ organization: number; number: number; server: number }> {
  const row = await pool.db
    .selectFrom('server')
    .select(['organization', 'number'])
    .where('id', '=', parseId('server', id) ?? '')
    .executeTakeFirstOrThrow()
  return { ...row, server: row.number }
}

/** Of a result and the agents' own findings, how much is not as it must be. */
export function faultsIn({
  acked: _acked,
  readings: _readings,
  unknown: _unknown,
  unknownStored: _stored,
  ...result
}: AuditResult): number {
  return Object.values(result).reduce((sum, count) => sum + count, 0)
}
