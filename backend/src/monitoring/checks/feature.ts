import { type Db, withLongStatements } from '../../platform/db/index.ts'
import { defineFeature } from '../../platform/feature/feature.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { sweepComposites } from './composites/refresh.ts'
import { COMPOSITE_TOPIC, hasComposites } from './composites/store.ts'
import { deleteOrganizationChecks } from './delete-store.ts'
import { CHECK_TABLES } from './results/partitions.ts'
import { deleteOldResponses } from './results/response-store.ts'
import { deleteStaleAnswers } from './results/store.ts'
import { checkRoutes } from './routes.ts'
import { compactChecks } from './stats/compact.ts'

/** Late checks of a compacted hour are read one by one until the next run. */
const EVERY_MS = 120_000
const SWEEP_EVERY_MS = 30_000
/** Where announcements do not arrive. A composite follows the checks of its members without it. */
const REST_MS = 900_000

export const checkFeature = defineFeature({
  routes: [checkRoutes],
  partitions: CHECK_TABLES,
  jobs: ({ db, clock }: { db: Db; clock: Clock }) => ({
    /** Compacts the checks of past hours. */
    compactChecks: {
      name: 'hours of checks',
      everyMs: EVERY_MS,
      run: () => withLongStatements(() => compactChecks(db, clock)),
    },
    /** Follows what changes without a check: tags, servers and their parts, maintenance windows. */
    sweepComposites: {
      name: 'composites',
      everyMs: SWEEP_EVERY_MS,
      run: () => sweepComposites(db, new Date(clock.now())),
      when: () => hasComposites(db),
      rests: { ms: REST_MS, wokenBy: COMPOSITE_TOPIC },
    },
    /** Deletes the stored responses of failed checks that no incident needs. */
    deleteCheckAnswers: { name: 'answers to checks', everyMs: EVERY_MS, run: () => deleteStaleAnswers(db) },
  }),
  deleteExpired: ({ db, clock }: { db: Db; clock: Clock }) => deleteOldResponses(db, clock.now()),
  deleteOrganization: deleteOrganizationChecks,
})
