import { alertFeature } from './alerts/index.ts'
import { apiKeyFeature } from './api-keys/index.ts'
import type { AppContext } from './app-context.ts'
import { auditFeature } from './audit/index.ts'
import { authFeature } from './auth/index.ts'
import { chatActionFeature } from './chat-actions/index.ts'
import { checkFeature } from './checks/index.ts'
import { dashboardFeature } from './dashboard/index.ts'
import { enrollmentTokenFeature } from './enrollment-tokens/index.ts'
import { entityFeature } from './entities/index.ts'
import { escalationFeature } from './escalation/index.ts'
import { eventFeature } from './event-stream/index.ts'
import { forecastFeature } from './forecast/index.ts'
import { handoverFeature } from './handovers/index.ts'
import { healthFeature } from './health/index.ts'
import { heartbeatFeature } from './heartbeats/index.ts'
import { identityProviderFeature } from './identity-providers/index.ts'
import { incidentFeature } from './incidents/index.ts'
import type { JobContext } from './job-context.ts'
import { mailFeature } from './mail/index.ts'
import { memberFeature } from './members/index.ts'
import { metricFeature } from './metrics/index.ts'
import { monitorFeature } from './monitors/index.ts'
import { notificationFeature } from './notifications/index.ts'
import { onCallFeature } from './on-call/index.ts'
import { organizationFeature } from './organizations/index.ts'
import { overviewFeature } from './overview/index.ts'
import { passkeyFeature } from './passkeys/index.ts'
import type { Feature } from './platform/feature/feature.ts'
import { probeFeature } from './probes/index.ts'
import { prometheusFeature } from './prometheus/index.ts'
import { regionFeature } from './regions/index.ts'
import { releaseFeature } from './releases/index.ts'
import { replayFeature } from './replays/index.ts'
import { reportFeature } from './reports/index.ts'
import { securityLogFeature } from './security-log/index.ts'
import { selfMonitoringFeature } from './self-monitoring/index.ts'
import { serverFeature } from './servers/index.ts'
import { setupFeature } from './setup/index.ts'
import { sloFeature } from './slos/index.ts'
import { statusPageFeature } from './status-pages/index.ts'
import { weeklySummaryFeature } from './weekly-summary/index.ts'

/** The parts of the product. What is done for all of them is a loop over this list; a new one is a line here. */
const DEFINITIONS = [
  authFeature,
  setupFeature,
  passkeyFeature,
  organizationFeature,
  memberFeature,
  weeklySummaryFeature,
  serverFeature,
  metricFeature,
  forecastFeature,
  entityFeature,
  monitorFeature,
  alertFeature,
  replayFeature,
  incidentFeature,
  notificationFeature,
  chatActionFeature,
  eventFeature,
  overviewFeature,
  enrollmentTokenFeature,
  apiKeyFeature,
  checkFeature,
  reportFeature,
  identityProviderFeature,
  onCallFeature,
  handoverFeature,
  escalationFeature,
  sloFeature,
  auditFeature,
  securityLogFeature,
  heartbeatFeature,
  probeFeature,
  regionFeature,
  statusPageFeature,
  mailFeature,
  healthFeature,
  prometheusFeature,
  selfMonitoringFeature,
  releaseFeature,
  dashboardFeature,
] as const satisfies readonly Feature<AppContext, JobContext>[]

type Definition = (typeof DEFINITIONS)[number]
type KeysOf<Type> = Type extends Type ? Extract<keyof Type, string> : never

/** Names of the jobs of all features. */
export type FeatureJob = KeysOf<ReturnType<Extract<Definition, { jobs: unknown }>['jobs']>>

/** The same list, for loops that need no names. */
export const FEATURES: readonly Feature<AppContext, JobContext>[] = DEFINITIONS
