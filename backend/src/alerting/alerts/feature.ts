import { HOUR_MS, MINUTE_MS } from '@vedette/shared'
import type { Changes, Db, Slices } from '../../platform/db/index.ts'
import { defineFeature } from '../../platform/feature/feature.ts'
import type { Log } from '../../platform/logging/log.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { WHILE_NONE_IS_OPEN } from '../incidents/index.ts'
import { createCheckEvaluator } from './evaluation/checks.ts'
import { createServerEvaluator } from './evaluation/servers.ts'
import { evaluateSignals } from './evaluation/status-changes.ts'
import { createSuppressionReview } from './evaluation/suppression-review.ts'
import { publishExpiringCertificates } from './events/certificates.ts'
import { alertRulePreviewRoutes } from './preview/routes.ts'
import { alertRuleRoutes, defaultRuleRoutes } from './rules/routes.ts'
import { deleteOrganizationSignals, SIGNALS } from './signals/store.ts'
import type { QuerySeries } from './series/answer.ts'
import { createSeriesEvaluation } from './series/evaluation.ts'
import { deleteRulesAndWindowsOf } from './target-store.ts'
import { deleteOldPast } from './maintenance-windows/past.ts'
import { maintenanceWindowRoutes } from './maintenance-windows/routes.ts'

export interface Context {
  db: Db
  clock: Clock
  log: Log
  querySeries: QuerySeries
  changes: Pick<Changes, 'on' | 'isHeard'>
  slices: () => Slices
  pushIntervalSeconds: number
  ending: AbortSignal
  areIncidentsOpen(): Promise<boolean>
}

/** Each run evaluates only what is due. */
const EVALUATE_EVERY_MS = 1_000
/** They are due every 30 s or less often. */
const EVALUATE_SERIES_EVERY_MS = 15_000

export const alertFeature = defineFeature({
  routes: [alertRuleRoutes, defaultRuleRoutes, alertRulePreviewRoutes, maintenanceWindowRoutes],
  jobs: ({ areIncidentsOpen, ...context }: Context) => {
    const checks = createCheckEvaluator(context)
    const servers = createServerEvaluator(context)
    const series = createSeriesEvaluation(context)
    return {
      /** Evaluates the alert rules for changes of status, which must cause their notification within a second. */
      evaluateSignals: {
        name: 'changes of status',
        everyMs: 250,
        queues: [SIGNALS.table],
        wakes: 'startDeliveries',
        run: () => evaluateSignals(context),
      },
      /** Evaluates the alert rules for the results of checks. */
      evaluateChecks: {
        name: 'checks by the alert rules',
        everyMs: EVALUATE_EVERY_MS,
        share: checks,
        run: () => checks.evaluate(),
      },
      /** Evaluates the alert rules for the samples of servers and for servers that stopped sending. */
      evaluateServers: {
        name: 'servers by the alert rules',
        everyMs: EVALUATE_EVERY_MS,
        share: servers,
        run: () => servers.evaluate(),
      },
      /** Evaluates the alert rules on expressions. */
      evaluateSeries: {
        name: 'expressions of alert rules',
        everyMs: EVALUATE_SERIES_EVERY_MS,
        lease: { name: 'expressions of alert rules', holdMs: 90_000 },
        when: series.hasRules,
        rests: { ms: MINUTE_MS, wokenBy: 'alert_rule' },
        run: series.evaluate,
      },
      /** Notifies about suppressed incidents once their suppression ends. */
      reviewSuppressions: {
        name: 'suppressions',
        everyMs: 5_000,
        when: areIncidentsOpen,
        rests: WHILE_NONE_IS_OPEN,
        run: createSuppressionReview(context),
      },
      /** Publishes certificates that expire soon. */
      publishExpiringCertificates: {
        name: 'certificates',
        everyMs: HOUR_MS,
        firstMs: 60_000,
        run: () => publishExpiringCertificates(context),
      },
    }
  },
  deleteExpired: ({ db, clock }: Context) => deleteOldPast(db, clock.now()),
  deleteOrganization: deleteOrganizationSignals,
  deleteServer: async (db, organization, serverId) => {
    await deleteRulesAndWindowsOf(db, organization, 'server', [serverId])
  },
})
