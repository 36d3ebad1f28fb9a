import type { TSchema } from 'typebox'

/** The schemas of the bodies that forms of the page send. A form loads its own alone. */
export const BODIES = {
  ChangeEmailBody: async () => (await import('./bodies/account.ts')).ChangeEmailBody,
  ChangePasswordBody: async () => (await import('./bodies/account.ts')).ChangePasswordBody,
  CreateAlertRuleBody: async () => (await import('./bodies/rules.ts')).CreateAlertRuleBody,
  CreateAlertSourceBody: async () => (await import('./bodies/alert-sources.ts')).CreateAlertSourceBody,
  CreateApiKeyBody: async () => (await import('./bodies/organization.ts')).CreateApiKeyBody,
  CreateCertificateBody: async () => (await import('./bodies/certificates.ts')).CreateCertificateBody,
  CreateChannelBody: async () => (await import('./bodies/channels.ts')).CreateChannelBody,
  CreateContactMethodBody: async () => (await import('./bodies/account.ts')).CreateContactMethodBody,
  CreateEscalationPolicyBody: async () => (await import('./bodies/on-call.ts')).CreateEscalationPolicyBody,
  CreateExportBody: async () => (await import('./bodies/exports.ts')).CreateExportBody,
  CreateIdentityProviderBody: async () => (await import('./bodies/organization.ts')).CreateIdentityProviderBody,
  CreateMaintenanceWindowBody: async () => (await import('./bodies/windows.ts')).CreateMaintenanceWindowBody,
  CreateMonitorBody: async () => (await import('./bodies/monitors.ts')).CreateMonitorBody,
  CreateReclassificationBody: async () => (await import('./bodies/reclassify.ts')).CreateReclassificationBody,
  CreateScheduleBody: async () => (await import('./bodies/on-call.ts')).CreateScheduleBody,
  CreateSloBody: async () => (await import('./bodies/slos.ts')).CreateSloBody,
  CreateStatusPageBody: async () => (await import('./bodies/status-pages.ts')).CreateStatusPageBody,
  CreateStatusPostBody: async () => (await import('./bodies/status-pages.ts')).CreateStatusPostBody,
  CreateSubscriberBody: async () => (await import('./bodies/status-pages.ts')).CreateSubscriberBody,
  InviteBody: async () => (await import('./bodies/organization.ts')).InviteBody,
  OrganizationBody: async () => (await import('./bodies/organization.ts')).OrganizationBody,
  PatchAlertSourceBody: async () => (await import('./bodies/alert-sources.ts')).PatchAlertSourceBody,
  PatchChannelBody: async () => (await import('./bodies/channels.ts')).PatchChannelBody,
  PatchExportBody: async () => (await import('./bodies/exports.ts')).PatchExportBody,
  PatchIdentityProviderBody: async () => (await import('./bodies/organization.ts')).PatchIdentityProviderBody,
  PatchMembershipBody: async () => (await import('./bodies/account.ts')).PatchMembershipBody,
  PatchOrganizationBody: async () => (await import('./bodies/organization.ts')).PatchOrganizationBody,
  PatchServerBody: async () => (await import('./bodies/servers.ts')).PatchServerBody,
  PatchStatusPostBody: async () => (await import('./bodies/status-pages.ts')).PatchStatusPostBody,
  PatchStatusPostUpdateBody: async () => (await import('./bodies/status-pages.ts')).PatchStatusPostUpdateBody,
  ScheduleOverrideBody: async () => (await import('./bodies/on-call.ts')).ScheduleOverrideBody,
  StatusPostUpdateBody: async () => (await import('./bodies/status-pages.ts')).StatusPostUpdateBody,
} satisfies Record<string, () => Promise<TSchema>>

/** The names of the bodies whose schemas are checked here. */
export type BodyName = keyof typeof BODIES
