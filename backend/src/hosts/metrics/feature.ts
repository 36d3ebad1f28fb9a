import { type Pool, withLongStatements } from '../../platform/db/index.ts'
import { defineFeature } from '../../platform/feature/feature.ts'
import type { App } from '../../platform/http/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { compactSamples, LATE_SETTLES_MS } from './compaction/compact.ts'
import { createSourceSwitches } from '../servers/index.ts'
import { createBoots } from './ingest/boots.ts'
import { createDimensions } from './ingest/dimensions.ts'
import { type MetricRouteDeps, metricRoutes } from './routes.ts'
import { keepPartitions, SAMPLE_TABLES } from './storage/partitions.ts'
import { deleteOrganizationSamples } from './storage/push-store.ts'

type Context = Omit<MetricRouteDeps, 'boots' | 'dimensions' | 'switches'> & { pool: Pool; retentionMs: number }

export const metricFeature = defineFeature({
  routes: [
    (app: App, context: Context) =>
      metricRoutes(app, {
        ...context,
        boots: createBoots(context),
        dimensions: createDimensions(context),
        switches: createSourceSwitches(context),
      }),
  ],
  partitions: { tables: SAMPLE_TABLES, keep: keepPartitions },
  jobs: ({ pool, clock }: { pool: Pool; clock: Clock }) => ({
    /** Compacts ended hours and days of samples. Late samples of a compacted hour are read separately until one of the next runs. */
    compactSamples: {
      name: 'hours of samples',
      everyMs: 120_000,
      run: () => withLongStatements(() => compactSamples(pool, clock, { lateSettlesMs: LATE_SETTLES_MS })),
    },
  }),
  deleteOrganization: deleteOrganizationSamples,
})
