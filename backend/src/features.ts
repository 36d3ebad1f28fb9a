import { alertSourceFeature } from './alerting/alert-sources/index.ts'
import { alertFeature } from './alerting/alerts/index.ts'
import { apiKeyFeature } from './access/api-keys/index.ts'
import type { AppContext } from './app-context.ts'
import { auditFeature } from './access/audit/index.ts'
import { authFeature } from './access/auth/index.ts'
import { chatActionFeature } from './notifying/chat-actions/index.ts'
import { certificateFeature } from './monitoring/certificates/index.ts'
import { changeSetFeature } from './operating/change-sets/index.ts'
import { checkFeature } from './monitoring/checks/index.ts'
import { dashboardFeature } from './pages/dashboard/index.ts'
import { deletionFeature } from './operating/deletions/index.ts'
import { enrollmentTokenFeature } from './hosts/enrollment-tokens/index.ts'
import { entityFeature } from './hosts/entities/index.ts'
import { escalationFeature } from './notifying/escalation/index.ts'
import { eventFeature } from './notifying/event-stream/index.ts'
import { exportFeature } from './operating/exports/index.ts'
import { forecastFeature } from './hosts/forecast/index.ts'
import { handoverFeature } from './notifying/handovers/index.ts'
import { healthFeature } from './operating/health/index.ts'
import { heartbeatFeature } from './monitoring/heartbeats/index.ts'
import { identityProviderFeature } from './access/identity-providers/index.ts'
import { incidentFeature } from './alerting/incidents/index.ts'
import type { JobContext } from './job-context.ts'
import { mailFeature } from './notifying/mail/index.ts'
import { memberFeature } from './access/members/index.ts'
import { metricFeature } from './hosts/metrics/index.ts'
import { monitorFeature } from './monitoring/monitors/index.ts'
import { notificationFeature } from './notifying/notifications/index.ts'
import { onCallFeature } from './notifying/on-call/index.ts'
import { organizationFeature } from './access/organizations/index.ts'
import { overviewFeature } from './pages/overview/index.ts'
import { passkeyFeature } from './access/passkeys/index.ts'
import type { Feature } from './platform/feature/feature.ts'
import { probeFeature } from './monitoring/probes/index.ts'
import { prometheusFeature } from './operating/prometheus/index.ts'
import { regionFeature } from './monitoring/regions/index.ts'
import { releaseFeature } from './operating/releases/index.ts'
import { replayFeature } from './alerting/replays/index.ts'
import { reportFeature } from './pages/reports/index.ts'
import { securityLogFeature } from './access/security-log/index.ts'
import { selfMonitoringFeature } from './operating/self-monitoring/index.ts'
import { seriesFeature } from './hosts/series/index.ts'
import { serverFeature } from './hosts/servers/index.ts'
import { setupFeature } from './operating/setup/index.ts'
import { annotationFeature } from './monitoring/annotations/index.ts'
import { reclassificationFeature } from './monitoring/reclassifications/index.ts'
import { sloFeature } from './monitoring/slos/index.ts'
import { statusPageFeature } from './pages/status-pages/index.ts'
import { weeklySummaryFeature } from './pages/weekly-summary/index.ts'

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
  seriesFeature,
  exportFeature,
  monitorFeature,
  alertFeature,
  alertSourceFeature,
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
  annotationFeature,
  certificateFeature,
  reclassificationFeature,
  auditFeature,
  changeSetFeature,
  securityLogFeature,
  heartbeatFeature,
  probeFeature,
  regionFeature,
  statusPageFeature,
  deletionFeature,
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
