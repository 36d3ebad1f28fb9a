import { type Db, keepTables, withLongStatements } from '../../platform/db/index.ts'
import { defineFeature, type Retention } from '../../platform/feature/feature.ts'
import type { App } from '../../platform/http/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { createPushes, type PushContext } from '../metrics/index.ts'
import { compactSeries, SERIES_CHUNKS } from './compact.ts'
import { type CollectorHostDeps, createCollectorHosts } from './ingest/collector-hosts.ts'
import { createKeyOptions } from './ingest/key-options.ts'
import { createSeriesIngest } from './ingest/submit.ts'
import type { SeriesRouteDeps } from './routes/common.ts'
import { otlpRoutes } from './routes/otlp-routes.ts'
import { remoteWriteRoutes } from './routes/remote-write-routes.ts'
import { deleteOrganizationSeries, deleteSeriesBefore } from './storage/series-store.ts'

type Serving = Omit<SeriesRouteDeps, 'series' | 'hosts' | 'options'> &
  PushContext &
  Omit<CollectorHostDeps, 'push'> & { settings: { activeSeries: number } }
type Working = { db: Db; clock: Clock; settings: { retention: Retention } }

export const seriesFeature = defineFeature({
  routes: [
    (app: App, context: Serving) => {
      const series = createSeriesIngest(context.pool, context.clock, context.settings.activeSeries)
      const hosts = createCollectorHosts({ ...context, push: createPushes(context) })
      const options = createKeyOptions(context.pool.db)
      for (const register of [remoteWriteRoutes, otlpRoutes]) register(app, { ...context, series, hosts, options })
    },
  ],
  partitions: {
    tables: [SERIES_CHUNKS],
    keep: (db, log, nowMs, retention) =>
      keepTables(db, log, [{ ...SERIES_CHUNKS, retentionMs: retention?.rollupMs ?? Number.POSITIVE_INFINITY }], nowMs),
  },
  jobs: ({ db, clock }: Working) => ({
    /** Compacts the series of ended hours and days. */
    compactSeries: {
      name: 'hours of series',
      everyMs: 300_000,
      run: () => withLongStatements(() => compactSeries(db, clock)),
    },
  }),
  deleteExpired: ({ db, clock, settings }: Working) => deleteSeriesBefore(db, clock.now() - settings.retention.rollupMs),
  deleteOrganization: deleteOrganizationSeries,
})
