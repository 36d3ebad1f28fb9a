import { readStorage } from '../../hosts/metrics/index.ts'
import type { Db, PartitionState } from '../../platform/db/index.ts'
import { defineFeature } from '../../platform/feature/feature.ts'
import type { DatabaseClock } from '../../platform/limits/index.ts'
import type { Log } from '../../platform/logging/log.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type DeadManDeps, pingDeadMan } from './ping.ts'
import { evaluateInstallation } from './service.ts'

export interface Context {
  db: Db
  clock: Clock
  databaseClock: DatabaseClock
  log: Log
  settings: { deadManUrl?: string | undefined }
  readPartitions(nowMs: number): Promise<PartitionState[]>
  /** To URLs that the operator chose. */
  requestOfOperator(url: string): ReturnType<DeadManDeps['get']>
}

const EVERY_MS = 60_000

export const selfMonitoringFeature = defineFeature({
  jobs: ({ databaseClock, settings: { deadManUrl: url }, requestOfOperator: get, ...context }: Context) => ({
    /** Notifies the operator about new and resolved problems of the installation. */
    evaluateInstallation: {
      name: 'self-monitoring',
      everyMs: EVERY_MS,
      run: () => evaluateInstallation({ ...context, readIngest: (nowMs: number) => readStorage(context.db, nowMs) }),
    },
    /** Calls the operator's dead man's switch URL, if set. */
    pingDeadMan: {
      name: 'dead-man ping',
      everyMs: EVERY_MS,
      firstMs: 1_000,
      isOff: url === undefined,
      run: async () => {
        if (url === undefined) return
        const isAlive = () =>
          databaseClock.measure().then(
            () => true,
            () => false,
          )
        const warn = (reason: string) => context.log.warn({ reason }, 'VEDETTE_DEAD_MAN_URL did not accept the ping')
        await pingDeadMan({ url, get, isAlive, warn })
      },
    },
  }),
})
