import { ACCOUNT_EXAMPLES } from './account.ts'
import { ALERT_EXAMPLES } from './alerts.ts'
import { CHAT_ACCOUNT_EXAMPLES } from './chat-accounts.ts'
import { CONTACT_METHOD_EXAMPLES } from './contact-methods.ts'
import { ENTITY_EXAMPLES } from './entities.ts'
import { ESCALATION_EXAMPLES } from './escalation-policies.ts'
import { IDENTITY_PROVIDER_EXAMPLES } from './identity-providers.ts'
import { MONITOR_EXAMPLES } from './monitors.ts'
import { ORGANIZATION_EXAMPLES } from './organizations.ts'
import { OVERVIEW_EXAMPLES } from './overview.ts'
import { PASSKEY_EXAMPLES } from './passkeys.ts'
import { PROBE_EXAMPLES } from './probes.ts'
import { PROMETHEUS_EXAMPLES } from './prometheus.ts'
import { REPLAY_EXAMPLES } from './replays.ts'
import { REPORT_EXAMPLES } from './reports.ts'
import { SCHEDULE_EXAMPLES } from './schedules.ts'
import { SERVER_EXAMPLES } from './servers.ts'
import { STATUS_POST_EXAMPLES } from './status-page-posts.ts'
import { STATUS_PAGE_EXAMPLES } from './status-pages.ts'

/** Bodies and answers by the name of their schema and a title, for the published description. */
export const EXAMPLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  ...ACCOUNT_EXAMPLES,
  ...ALERT_EXAMPLES,
  ...CHAT_ACCOUNT_EXAMPLES,
  ...CONTACT_METHOD_EXAMPLES,
  ...ENTITY_EXAMPLES,
  ...ESCALATION_EXAMPLES,
  ...IDENTITY_PROVIDER_EXAMPLES,
  ...MONITOR_EXAMPLES,
  ...ORGANIZATION_EXAMPLES,
  ...OVERVIEW_EXAMPLES,
  ...PASSKEY_EXAMPLES,
  ...PROBE_EXAMPLES,
  ...PROMETHEUS_EXAMPLES,
  ...REPLAY_EXAMPLES,
  ...REPORT_EXAMPLES,
  ...SCHEDULE_EXAMPLES,
  ...SERVER_EXAMPLES,
  ...STATUS_PAGE_EXAMPLES,
  ...STATUS_POST_EXAMPLES,
}
