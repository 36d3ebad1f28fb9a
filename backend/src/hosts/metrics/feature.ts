import type { PushAnswer } from '@vedette/shared'
import type { Principal } from '../../access/auth/index.ts'
import { type Pool, withLongStatements } from '../../platform/db/index.ts'
import { defineFeature } from '../../platform/feature/feature.ts'
import type { App } from '../../platform/http/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { compactSamples, LATE_SETTLES_MS } from './compaction/compact.ts'
import { createSourceSwitches } from '../servers/index.ts'
import { createBoots } from './ingest/boots.ts'
import { createDimensions } from './ingest/dimensions.ts'
import { submitPush } from './ingest/submit.ts'
import { type MetricRouteDeps, metricRoutes } from './routes.ts'
import { keepPartitions, SAMPLE_TABLES } from './storage/partitions.ts'
import { deleteOrganizationSamples } from './storage/push-store.ts'

export type PushContext = Omit<MetricRouteDeps, 'boots' | 'dimensions' | 'switches'> & { pool: Pool; retentionMs: number }

/** What a process knows of the senders of pushes. */
const withPushState = <Deps extends PushContext>(context: Deps) => ({
  ...context,
  boots: createBoots(context),
  dimensions: createDimensions(context),
  switches: createSourceSwitches(context),
})

/** Takes pushes of other routes than those of agents. */
export function createPushes(context: PushContext): (principal: Principal, takeBody: () => unknown) => Promise<PushAnswer> {
  const deps = withPushState(context)
  return (principal, takeBody) => submitPush(deps, principal, takeBody)
}

export const metricFeature = defineFeature({
  routes: [(app: App, context: PushContext) => metricRoutes(app, withPushState(context))],
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
