import { countFailingRules } from '../../alerting/alerts/index.ts'
import { type IngestCounts, readStorage } from '../../hosts/metrics/index.ts'
import type { Db, PartitionState } from '../../platform/db/index.ts'
import { defineFeature } from '../../platform/feature/feature.ts'
import type { App } from '../../platform/http/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { readInstallationHealth } from '../self-monitoring/index.ts'
import { prometheusExportRoutes } from './export/routes.ts'
import { prometheusQueryRoutes } from './query/routes.ts'
import { type PrometheusDeps, prometheusRoutes } from './routes.ts'

type Context = Pick<PrometheusDeps, 'version' | 'limitAttempt'> & {
  db: Db
  clock: Clock
  settings: { metricsToken?: string | undefined }
  ingester: { counts(): IngestCounts }
  readPartitions(nowMs: number): Promise<PartitionState[]>
}

export const prometheusFeature = defineFeature({
  routes: [
    (app: App, { db, clock, settings, ingester, readPartitions, ...context }: Context) => {
      const read = async () => {
        const nowMs = clock.now()
        const [storage, health, partitions, failingRules] = await Promise.all([
          readStorage(db, nowMs),
          readInstallationHealth(db, nowMs),
          readPartitions(nowMs),
          countFailingRules(db),
        ])
        return { ...storage, ...health, partitions, failingRules, ingest: ingester.counts() }
      }
      prometheusRoutes(app, { ...context, token: settings.metricsToken, read })
    },
    prometheusExportRoutes,
    prometheusQueryRoutes,
  ],
})
