import { HOUR_MS, MINUTE_MS } from '@vedette/shared'
import { type Db, withLongStatements } from '../../platform/db/index.ts'
import { defineFeature } from '../../platform/feature/feature.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { AUDIT_EVENTS } from './partitions.ts'
import { auditRoutes } from './routes.ts'
import { countAuditDays } from './service.ts'

export const auditFeature = defineFeature({
  routes: [auditRoutes],
  partitions: [AUDIT_EVENTS],
  jobs: ({ db, clock }: { db: Db; clock: Clock }) => ({
    /** Counts the audit events of ended days. */
    countAuditDays: {
      name: 'days of the audit log',
      everyMs: HOUR_MS,
      firstMs: MINUTE_MS,
      run: () => withLongStatements(() => countAuditDays(db, clock.now())),
    },
  }),
})
