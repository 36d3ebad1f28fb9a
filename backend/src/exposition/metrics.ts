import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import type { IngestCounts, StorageState } from '../metrics/index.ts'
import type { PartitionState } from '../platform/db/index.ts'

/** How the installation stands, and what this process has done since its start. */
export interface Readings extends Pick<StorageState, 'doneUntilMs' | 'lagMs' | 'lateHours'> {
  partitions: readonly PartitionState[]
  /** Each kind of problem, and whether it stands. */
  problems: Readonly<Record<string, boolean>>
  checksOverdue: number
  ingest: IngestCounts
}

export interface Exposition {
  contentType: string
  /** The whole text. Whatever `read` throws. */
  expose(): Promise<string>
  /** An answer of this status went out. */
  noteAnswer(status: number): void
}

/** The metrics of one process; `read` is asked once for each exposition. */
export function createExposition(version: string, read: () => Promise<Readings>): Exposition {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const gauge = (name: string, help: string, labelNames: readonly string[] = []) =>
    new Gauge({ name: `vedette_${name}`, help, labelNames: [...labelNames], registers: [registry] })
  const counter = (name: string, help: string, labelNames: readonly string[] = []) =>
    new Counter({ name: `vedette_${name}_total`, help, labelNames: [...labelNames], registers: [registry] })
  gauge('info', 'The version that runs.', ['version']).set({ version }, 1)
  const doneUntil = gauge(
    'samples_done_until_timestamp_seconds',
    'Where the last hour of samples that is put together ends; 0 before the first.',
  )
  const lag = gauge('samples_lag_seconds', 'How far putting samples together is behind what is due.')
  const lateHours = gauge('samples_late', 'Hours of servers that wait for late samples to be taken in.')
  const partitions = gauge('partitions', 'Partitions that stand.', ['table'])
  const readyUntil = gauge(
    'partitions_ready_until_timestamp_seconds',
    'Until when rows have a place; 0 where they have none now.',
    ['table'],
  )
  const problem = gauge('problem', 'Whether the installation does not keep up, by the kind of problem.', ['kind'])
  const overdue = gauge('checks_overdue', 'Checks that nobody made for two minutes after they were due.')
  const queued = gauge('ingest_queued_bytes', 'What pushes take that wait for the database.')
  const rows = counter('ingest_rows', 'Rows of pushes by what became of them, a row for each hour of a batch.', ['result'])
  const turnedAway = counter('ingest_turned_away', 'Pushes that were told to come again because the database is behind.')
  const answers = counter('http_answers', 'Answers by the class of their status.', ['class'])

  function take(readings: Readings): void {
    doneUntil.set((readings.doneUntilMs ?? 0) / 1_000)
    lag.set(readings.lagMs / 1_000)
    lateHours.set(readings.lateHours)
    for (const { table, count, untilMs } of readings.partitions) {
      partitions.set({ table }, count)
      readyUntil.set({ table }, (untilMs ?? 0) / 1_000)
    }
    for (const [kind, stands] of Object.entries(readings.problems)) problem.set({ kind }, stands ? 1 : 0)
    overdue.set(readings.checksOverdue)
    queued.set(readings.ingest.queuedBytes)
    rows.reset()
    for (const [result, count] of Object.entries(readings.ingest.rows)) rows.inc({ result }, count)
    turnedAway.reset()
    turnedAway.inc(readings.ingest.turnedAway)
  }

  return {
    contentType: registry.contentType,
    expose: async () => {
      take(await read())
      return registry.metrics()
    },
    noteAnswer: (status) => answers.inc({ class: `${Math.floor(status / 100)}xx` }),
  }
}
