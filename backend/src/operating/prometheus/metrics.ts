import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import type { IngestCounts, StorageState } from '../../hosts/metrics/index.ts'
import type { PartitionState } from '../../platform/db/index.ts'

export interface InstallationMetrics extends Pick<StorageState, 'doneUntilMs' | 'lagMs' | 'lateHours'> {
  partitions: readonly PartitionState[]
  /** By kind: whether the problem is open. */
  problems: Readonly<Record<string, boolean>>
  checksOverdue: number
  /** Rules on expressions that cannot be evaluated. */
  failingRules: number
  ingest: IngestCounts
}

export interface PrometheusMetrics {
  contentType: string
  /** The text that Prometheus scrapes. Throws what `read` throws. */
  render(): Promise<string>
  countResponse(status: number): void
}

/** The metrics of this process and of the installation; `read` is called once per scrape. */
export function createMetrics(version: string, read: () => Promise<InstallationMetrics>): PrometheusMetrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const gauge = (name: string, help: string, labelNames: readonly string[] = []) =>
    new Gauge({ name: `vedette_${name}`, help, labelNames: [...labelNames], registers: [registry] })
  const counter = (name: string, help: string, labelNames: readonly string[] = []) =>
    new Counter({ name: `vedette_${name}_total`, help, labelNames: [...labelNames], registers: [registry] })
  gauge('build_info', 'Version of this process.', ['version']).set({ version }, 1)
  const compactedUntil = gauge(
    'compaction_done_until_timestamp_seconds',
    'End of the last compacted hour of samples; 0 before the first.',
  )
  const lag = gauge('compaction_lag_seconds', 'Delay of the compaction of samples.')
  const lateHours = gauge('compaction_late_hours', 'Hours of servers with late samples that wait for compaction.')
  const partitions = gauge('partitions', 'Partitions of the table.', ['table'])
  const partitionsUntil = gauge(
    'partitions_created_until_timestamp_seconds',
    'End of the last partition; 0 when no partition covers the present.',
    ['table'],
  )
  const problem = gauge('problem', 'Whether a problem of the installation is open, by kind.', ['kind'])
  const overdue = gauge('checks_overdue', 'Checks that are overdue by more than two minutes.')
  const failingRules = gauge('alert_rules_failing', 'Alert rules whose expression could not be evaluated the last time.')
  const queued = gauge('ingest_queued_bytes', 'Bytes of pushes that wait for the database.')
  const rows = counter('ingest_rows', 'Rows of pushes by result; a batch has one row per hour.', ['result'])
  const rejected = counter('ingest_rejected_pushes', 'Pushes that were answered with 503 because the database is behind.')
  const responses = counter('http_responses', 'HTTP responses by class of status.', ['class'])

  function update(installation: InstallationMetrics): void {
    compactedUntil.set((installation.doneUntilMs ?? 0) / 1_000)
    lag.set(installation.lagMs / 1_000)
    lateHours.set(installation.lateHours)
    for (const { table, count, untilMs } of installation.partitions) {
      partitions.set({ table }, count)
      partitionsUntil.set({ table }, (untilMs ?? 0) / 1_000)
    }
    for (const [kind, isOpen] of Object.entries(installation.problems)) problem.set({ kind }, isOpen ? 1 : 0)
    overdue.set(installation.checksOverdue)
    failingRules.set(installation.failingRules)
    queued.set(installation.ingest.queuedBytes)
    rows.reset()
    for (const [result, count] of Object.entries(installation.ingest.rows)) rows.inc({ result }, count)
    rejected.reset()
    rejected.inc(installation.ingest.turnedAway)
  }

  return {
    contentType: registry.contentType,
    render: async () => {
      update(await read())
      return registry.metrics()
    },
    countResponse: (status) => responses.inc({ class: `${Math.floor(status / 100)}xx` }),
  }
}
