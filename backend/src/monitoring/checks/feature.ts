import { type Db, withLongStatements } from '../../platform/db/index.ts'
import { defineFeature } from '../../platform/feature/feature.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { deleteOrganizationChecks } from './delete-store.ts'
import { CHECK_TABLES } from './results/partitions.ts'
import { deleteStaleAnswers } from './results/store.ts'
import { checkRoutes } from './routes.ts'
import { compactChecks } from './stats/compact.ts'

/** Late checks of a compacted hour are read one by one until the next run. */
const EVERY_MS = 120_000

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
    /** Deletes the stored responses of failed checks that no incident needs. */
    deleteCheckAnswers: { name: 'answers to checks', everyMs: EVERY_MS, run: () => deleteStaleAnswers(db) },
  }),
  deleteOrganization: deleteOrganizationChecks,
})
