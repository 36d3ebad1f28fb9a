import { type Db, keepTables, withLongStatements } from '../../platform/db/index.ts'
import { defineFeature, type Retention } from '../../platform/feature/feature.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { compactEntities, ENTITY_CHUNKS } from './compact.ts'
import { entityRoutes } from './routes.ts'
import { deleteEntities, deleteEntitiesBefore } from './storage/entity-store.ts'

type Context = { db: Db; clock: Clock; settings: { retention: Retention } }

export const entityFeature = defineFeature({
  routes: [entityRoutes],
  partitions: {
    tables: [ENTITY_CHUNKS],
    keep: (db, log, nowMs, retention) =>
      keepTables(db, log, [{ ...ENTITY_CHUNKS, retentionMs: retention?.rollupMs ?? Number.POSITIVE_INFINITY }], nowMs),
  },
  jobs: ({ db, clock }: Context) => ({
    /** Compacts the entities of ended hours and days. */
    compactEntities: {
      name: 'hours of entities',
      everyMs: 120_000,
      run: () => withLongStatements(() => compactEntities(db, clock)),
    },
  }),
  deleteExpired: ({ db, clock, settings }: Context) => deleteEntitiesBefore(db, clock.now() - settings.retention.rollupMs),
  deleteOrganization: (db, organization) => deleteEntities(db, organization),
})
