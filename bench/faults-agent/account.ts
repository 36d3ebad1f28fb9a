import { decodeBlock, toScaled } from '../../shared/src/hosts/metrics/block/index.ts'
import { parseId } from '../../backend/src/platform/ids.ts'
import { ALL_FIELDS } from '../../shared/src/hosts/metrics/fields.ts'
import type { BenchBackend } from '../lib/backend.ts'
import type { AgentUnderFault } from './agent-under-fault.ts'
import { expectedValue, NUMBER_FIELD_ID } from './expected.ts'

/** What became of the samples of one agent. After a fault that the agent survives, all but `taken` and `stored` are 0. */
export interface Account {
  taken: number
  stored: number
  /** Not stored, though the agent had it. */
  lost: number
  /** Not stored, because a kill came while the agent was just being given it. */
  lostAtKill: number
  /** Number of the newest sample that is not stored; 0 when none is missing. */
  newestMissing: number
  /** Stored under two instants. */
  doubled: number
  /** Stored and never taken, or with another value than it was taken with. */
  wrong: number
}

interface StoredRow {
  t0: string
  tLastMs: number
  receivedAtMs: number
  data: Buffer
}

export async function rowsOf({ database }: BenchBackend, serverId: string): Promise<StoredRow[]> {
  const { rows } = await database.query<{ t0: string; t_last: string; received_at: string; data: Buffer }>(
    `select t0, t_last, received_at, data from metric_push
     where server = (select number from server where id = $1) order by received_at, t0`,
    [parseId('server', serverId)],
  )
  return rows.map((row) => ({
    t0: row.t0,
    tLastMs: Number(row.t_last),
    receivedAtMs: Number(row.received_at),
    data: row.data,
  }))
}

/** Numbers of the samples that the agent had and that are not stored. */
export async function unstored(backend: BenchBackend, agent: AgentUnderFault): Promise<number[]> {
  const { instants } = await storedSamples(backend, agent)
  return agent.journal().flatMap(({ number, isKept }) => (isKept && !instants.has(number) ? number : []))
}

export async function account(backend: BenchBackend, agent: AgentUnderFault): Promise<Account> {
  const journal = agent.journal()
  const { instants, wrong } = await storedSamples(backend, agent)
  const missing = journal.filter(({ number }) => !instants.has(number))
  const atKill = missing.filter(({ isKept }) => !isKept)
  return {
    taken: journal.length,
    stored: journal.length - missing.length,
    lost: missing.length - atKill.length,
    lostAtKill: atKill.length,
    newestMissing: missing.at(-1)?.number ?? 0,
    doubled: [...instants.values()].filter(({ size }) => size > 1).length,
    wrong,
  }
}

/** Under which instants each sample is stored, by its number, and how many are wrong. */
async function storedSamples(backend: BenchBackend, agent: AgentUnderFault) {
  const journal = agent.journal()
  const instants = new Map<number, Set<number>>()
  let wrong = 0
  for (const { t0, data } of await rowsOf(backend, agent.host.serverId)) {
    const { atMs, fieldIds, values } = decodeBlock(data, Number(t0))
    atMs.forEach((at, index) => {
      const scaled = (id: number) => values[fieldIds.indexOf(id) * atMs.length + index]
      const number = scaled(NUMBER_FIELD_ID) ?? Number.NaN
      const isRight = ALL_FIELDS.every((field) => {
        return scaled(field.id) === toScaled(expectedValue(number, field.id, field.unit), field)
      })
      if (!isRight || !journal[number - 1]) wrong++
      const known = instants.get(number) ?? new Set()
      instants.set(number, known.add(at))
    })
  }
  return { instants, wrong }
}
