import type { Migration } from 'kysely/migration'
import { installation } from './0001-installation.ts'
import { organizations } from './0002-organizations.ts'
import { users } from './0003-users.ts'
import { credentials } from './0004-credentials.ts'
import { mail } from './0005-mail.ts'
import { audit } from './0006-audit.ts'
import { servers } from './0007-servers.ts'
import { metrics } from './0008-metrics.ts'
import { monitors } from './0009-monitors.ts'
import { checks } from './0010-checks.ts'
import { alerts } from './0011-alerts.ts'
import { incidents } from './0012-incidents.ts'
import { notifications } from './0013-notifications.ts'
import { events } from './0014-events.ts'
import { heartbeats } from './0015-heartbeats.ts'
import { statusPages } from './0016-status-pages.ts'
import { slos } from './0017-slos.ts'
import { entities } from './0018-entities.ts'
import { slotLeases } from './0019-slot-leases.ts'
import { schedules } from './0020-schedules.ts'
import { contactMethods } from './0021-contact-methods.ts'
import { escalation } from './0022-escalation.ts'
import { actionLinks } from './0023-action-links.ts'
import { identityProviders } from './0024-identity-providers.ts'
import { scheduleCalendars } from './0025-schedule-calendars.ts'
import { passkeys } from './0026-passkeys.ts'
import { chatAccounts } from './0027-chat-accounts.ts'
import { handovers } from './0028-handovers.ts'
import { unconfirmedMail } from './0029-unconfirmed-mail.ts'
import { providerDomains } from './0030-provider-domains.ts'
import { confirmedAddresses } from './0031-confirmed-addresses.ts'
import { maintenanceNotices } from './0032-maintenance-notices.ts'
import { stoppedInstances } from './0033-stopped-instances.ts'
import { serverHealth } from './0034-server-health.ts'
import { annotations } from './0035-annotations.ts'
import { stories } from './0036-stories.ts'
import { userNames } from './0037-user-names.ts'
import { sourceSwitches } from './0038-source-switches.ts'
import { wallSessions } from './0039-wall-sessions.ts'
import { instanceVersions } from './0040-instance-versions.ts'
import { organizationLanguage } from './0041-organization-language.ts'
import { visitorBrowsers } from './0042-visitor-browsers.ts'
import { deletedResources } from './0043-deleted-resources.ts'
import { changeSets } from './0044-change-sets.ts'
import { series } from './0045-series.ts'
import { seriesRules } from './0046-series-rules.ts'
import { exports } from './0047-exports.ts'
import { alertSources } from './0048-alert-sources.ts'
import { severalOnDuty } from './0049-several-on-duty.ts'
import { seriesOfKeys } from './0050-series-of-keys.ts'
import { silences } from './0051-silences.ts'
import { exportedSeries } from './0052-exported-series.ts'
import { incidentsOfSeries } from './0053-incidents-of-series.ts'
import { composites } from './0054-composites.ts'
import { certificates } from './0055-certificates.ts'
import { reclassifications } from './0056-reclassifications.ts'
import { checkResponses } from './0057-check-responses.ts'
import { descriptions } from './0058-descriptions.ts'
import { activeHours } from './0059-active-hours.ts'
import { certificateFiles } from './0060-certificate-files.ts'
import { lostSamples } from './0063-lost-samples.ts'
import { daysOfSeries } from './0064-days-of-series.ts'
import { followedCalendars } from './0065-followed-calendars.ts'
import { alertRoutes } from './0066-alert-routes.ts'

/** All migrations in their order. They only go forward; a released one is never edited. */
export const MIGRATIONS: Record<string, Migration> = {
  '0001-installation': installation,
  '0002-organizations': organizations,
  '0003-users': users,
  '0004-credentials': credentials,
  '0005-mail': mail,
  '0006-audit': audit,
  '0007-servers': servers,
  '0008-metrics': metrics,
  '0009-monitors': monitors,
  '0010-checks': checks,
  '0011-alerts': alerts,
  '0012-incidents': incidents,
  '0013-notifications': notifications,
  '0014-events': events,
  '0015-heartbeats': heartbeats,
  '0016-status-pages': statusPages,
  '0017-slos': slos,
  '0018-entities': entities,
  '0019-slot-leases': slotLeases,
  '0020-schedules': schedules,
  '0021-contact-methods': contactMethods,
  '0022-escalation': escalation,
  '0023-action-links': actionLinks,
  '0024-identity-providers': identityProviders,
  '0025-schedule-calendars': scheduleCalendars,
  '0026-passkeys': passkeys,
  '0027-chat-accounts': chatAccounts,
  '0028-handovers': handovers,
  '0029-unconfirmed-mail': unconfirmedMail,
  '0030-provider-domains': providerDomains,
  '0031-confirmed-addresses': confirmedAddresses,
  '0032-maintenance-notices': maintenanceNotices,
  '0033-stopped-instances': stoppedInstances,
  '0034-server-health': serverHealth,
  '0035-annotations': annotations,
  '0036-stories': stories,
  '0037-user-names': userNames,
  '0038-source-switches': sourceSwitches,
  '0039-wall-sessions': wallSessions,
  '0040-instance-versions': instanceVersions,
  '0041-organization-language': organizationLanguage,
  '0042-visitor-browsers': visitorBrowsers,
  '0043-deleted-resources': deletedResources,
  '0044-change-sets': changeSets,
  '0045-series': series,
  '0046-series-rules': seriesRules,
  '0047-exports': exports,
  '0048-alert-sources': alertSources,
  '0049-several-on-duty': severalOnDuty,
  '0050-series-of-keys': seriesOfKeys,
  '0051-silences': silences,
  '0052-exported-series': exportedSeries,
  '0053-incidents-of-series': incidentsOfSeries,
  '0054-composites': composites,
  '0055-certificates': certificates,
  '0056-reclassifications': reclassifications,
  '0057-check-responses': checkResponses,
  '0058-descriptions': descriptions,
  '0059-active-hours': activeHours,
  '0060-certificate-files': certificateFiles,
  '0063-lost-samples': lostSamples,
  '0064-days-of-series': daysOfSeries,
  '0065-followed-calendars': followedCalendars,
  '0066-alert-routes': alertRoutes,
}
