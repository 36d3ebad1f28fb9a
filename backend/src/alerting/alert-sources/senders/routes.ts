import type { App } from '../../../platform/http/index.ts'
import type { Intake } from '../intake.ts'
import type { IntakeLimits } from '../limits.ts'
import { type AlertmanagerDeps, alertmanagerRoutes } from './alertmanager/routes.ts'
import { type OpsgenieDeps, opsgenieRoutes } from './opsgenie-routes.ts'
import { ownRoutes } from './own-routes.ts'
import { type PagerDutyDeps, pagerDutyRoutes } from './pagerduty-routes.ts'

export type IntakeRouteDeps = Omit<PagerDutyDeps & OpsgenieDeps & AlertmanagerDeps, 'limits'> & {
  intake: Intake
  intakeLimits: IntakeLimits
}

/** What senders call. All of it counts the requests of one token together. */
export function intakeRoutes(app: App, { intakeLimits: limits, ...others }: IntakeRouteDeps): void {
  for (const register of [ownRoutes, pagerDutyRoutes, opsgenieRoutes, alertmanagerRoutes]) register(app, { ...others, limits })
}
