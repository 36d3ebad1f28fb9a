import type { Wire } from './wire.ts'

/** Name of a schema that @vedette/shared exports. */
type SchemaName = keyof Wire

/** One route of the API and the method that calls it. The types of the method come from the schemas that are named here. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Its parameters are the first arguments of the method, in this order. */
  readonly path: `/v1/${string}`
  readonly query?: SchemaName
  readonly body?: SchemaName
  /** Several names: the caller distinguishes the responses by their fields. Absent: the response has no content. */
  readonly answer?: SchemaName | readonly SchemaName[]
  /** Values of `format` in the query whose answer is a text instead. */
  readonly texts?: readonly string[]
  /** Public: the client sends no credentials. */
  readonly open?: true
  /** Sends the header that shows that no other site caused the request. */
  readonly ownPage?: true
  /** A 401 may refer to a secret in the body instead of the caller's credentials. */
  readonly secret?: true
  /** Accepts an `Idempotency-Key`. */
  readonly repeatable?: true
}

/** The five routes of a resource, whose schemas are named after it; `details` is what all but the list answer. */
const crud = <const Path extends `/v1/${string}`, const Noun extends string, const Details extends SchemaName>(
  path: Path,
  noun: Noun,
  details: Details,
) =>
  ({
    list: { method: 'GET', path, query: `${noun}ListQuery`, answer: `${noun}List` },
    create: { method: 'POST', path, body: `Create${noun}Body`, answer: details, repeatable: true },
    read: { method: 'GET', path: `${path}/:id`, answer: details },
    update: { method: 'PATCH', path: `${path}/:id`, body: `Patch${noun}Body`, answer: details },
    remove: { method: 'DELETE', path: `${path}/:id` },
  }) as const

/** The same, and what brings a deleted one back. */
const restorable = <const Path extends `/v1/${string}`, const Noun extends string, const Details extends SchemaName>(
  path: Path,
  noun: Noun,
  details: Details,
) =>
  ({
    ...crud(path, noun, details),
    restore: { method: 'POST', path: `${path}/:id/restore`, answer: details },
  }) as const

/** Those that can be restored. */
const deletedOf = <const Path extends `/v1/${string}`, const List extends SchemaName = 'DeletedList'>(
  path: Path,
  list = 'DeletedList' as List,
) => ({ list: { method: 'GET', path: `${path}/deleted`, query: 'DeletedQuery', answer: list } }) as const

/**
 * Every published route, by noun and verb. A noun with a `list` also gets `all`. A backend test compares this table with the
 * published OpenAPI document.
 */
export const ROUTES = {
  setup: {
    read: { method: 'GET', path: '/v1/setup', answer: 'SetupState', open: true },
    complete: { method: 'POST', path: '/v1/setup', body: 'SetupBody', answer: 'Session', open: true },
  },
  auth: {
    login: { method: 'POST', path: '/v1/auth/login', body: 'LoginBody', answer: 'Session', open: true },
    /** For a page that Vedette serves, where the user chose `remember` at the sign-in: the browser sends and gets the cookie. */
    refresh: { method: 'POST', path: '/v1/auth/refresh', query: 'RefreshQuery', answer: 'Session', open: true, ownPage: true },
    logout: { method: 'POST', path: '/v1/auth/logout' },
    me: { method: 'GET', path: '/v1/auth/me', answer: 'Me' },
    updateMe: { method: 'PATCH', path: '/v1/me', body: 'PatchMeBody', answer: 'Me' },
    deleteAccount: { method: 'DELETE', path: '/v1/auth/me', body: 'DeleteAccountBody', secret: true },
    changePassword: { method: 'POST', path: '/v1/auth/password', body: 'ChangePasswordBody', answer: 'Session', secret: true },
    changeEmail: { method: 'POST', path: '/v1/auth/email', body: 'ChangeEmailBody', answer: 'Me', secret: true },
    requestEmailVerification: { method: 'POST', path: '/v1/auth/email/verification' },
    verifyEmail: { method: 'POST', path: '/v1/auth/email/verify', body: 'VerifyEmailBody', answer: 'VerifiedEmail', open: true },
    requestPasswordReset: { method: 'POST', path: '/v1/auth/password-reset', body: 'PasswordResetBody', open: true },
    confirmPasswordReset: {
      method: 'POST',
      path: '/v1/auth/password-reset/confirm',
      body: 'PasswordResetConfirmBody',
      answer: 'Session',
      open: true,
    },
  },
  identityProviders: {
    ...restorable('/v1/identity-providers', 'IdentityProvider', 'IdentityProvider'),
    /** Of the domain of an e-mail, to sign in with. */
    find: {
      method: 'POST',
      path: '/v1/auth/oidc/providers',
      body: 'FindIdentityProvidersBody',
      answer: 'IdentityProviderChoices',
      open: true,
    },
  },
  sessions: {
    list: { method: 'GET', path: '/v1/auth/sessions', query: 'SessionListQuery', answer: 'SessionList' },
    end: { method: 'DELETE', path: '/v1/auth/sessions/:id' },
  },
  contactMethods: {
    list: { method: 'GET', path: '/v1/contact-methods', query: 'ContactMethodListQuery', answer: 'ContactMethodList' },
    create: { method: 'POST', path: '/v1/contact-methods', body: 'CreateContactMethodBody', answer: 'ContactMethod' },
    remove: { method: 'DELETE', path: '/v1/contact-methods/:id' },
    test: { method: 'POST', path: '/v1/contact-methods/:id/test', answer: 'ChannelTest' },
  },
  chatAccounts: {
    list: { method: 'GET', path: '/v1/chat-accounts', query: 'ChatAccountListQuery', answer: 'ChatAccountList' },
    connect: { method: 'POST', path: '/v1/chat-accounts', body: 'ConnectChatAccountBody', answer: 'ChatAccount', secret: true },
    remove: { method: 'DELETE', path: '/v1/chat-accounts/:id' },
  },
  pushSubscriptions: {
    list: { method: 'GET', path: '/v1/push-subscriptions', query: 'PushSubscriptionListQuery', answer: 'PushSubscriptionList' },
    create: { method: 'POST', path: '/v1/push-subscriptions', body: 'PushSubscriptionBody', answer: 'PushSubscriptionItem' },
    remove: { method: 'DELETE', path: '/v1/push-subscriptions/:id' },
    test: { method: 'POST', path: '/v1/push-subscriptions/:id/test', answer: 'ChannelTest' },
  },
  passkeys: {
    list: { method: 'GET', path: '/v1/auth/passkeys', query: 'PasskeyListQuery', answer: 'PasskeyList' },
    startCreate: {
      method: 'POST',
      path: '/v1/auth/passkeys/registration-options',
      body: 'PasskeyProofBody',
      answer: 'PasskeyOptions',
      secret: true,
    },
    create: { method: 'POST', path: '/v1/auth/passkeys', body: 'CreatePasskeyBody', answer: 'PasskeyItem' },
    rename: { method: 'PATCH', path: '/v1/auth/passkeys/:id', body: 'PatchPasskeyBody', answer: 'PasskeyItem' },
    remove: { method: 'DELETE', path: '/v1/auth/passkeys/:id', body: 'PasskeyProofBody', secret: true },
    startSignIn: { method: 'POST', path: '/v1/auth/passkeys/sign-in-options', answer: 'PasskeyOptions', open: true },
    signIn: { method: 'POST', path: '/v1/auth/passkeys/sign-in', body: 'PasskeySignInBody', answer: 'Session', open: true },
  },
  totp: {
    read: { method: 'GET', path: '/v1/auth/totp', answer: 'TotpState' },
    /** Without `code`: starts, and answers the secret. With it: confirms, and answers the state. */
    setUp: { method: 'POST', path: '/v1/auth/totp', body: 'TotpBody', answer: ['TotpState', 'TotpSetup'], secret: true },
    remove: { method: 'DELETE', path: '/v1/auth/totp', body: 'TotpBody', secret: true },
  },
  me: {
    read: { method: 'GET', path: '/v1/me', answer: 'Me' },
    updateMembership: {
      method: 'PATCH',
      path: '/v1/organizations/:id/membership',
      body: 'PatchMembershipBody',
      answer: 'Membership',
    },
  },
  organizations: {
    list: { method: 'GET', path: '/v1/organizations', query: 'WholeListQuery', answer: 'OrganizationList' },
    create: { method: 'POST', path: '/v1/organizations', body: 'OrganizationBody', answer: 'Organization', repeatable: true },
    read: { method: 'GET', path: '/v1/organizations/:id', answer: 'Organization' },
    update: { method: 'PATCH', path: '/v1/organizations/:id', body: 'PatchOrganizationBody', answer: 'Organization' },
    remove: { method: 'DELETE', path: '/v1/organizations/:id', body: 'DeleteOrganizationBody' },
  },
  members: {
    list: { method: 'GET', path: '/v1/organizations/:id/members', query: 'WholeListQuery', answer: 'MemberList' },
    update: { method: 'PATCH', path: '/v1/organizations/:id/members/:memberId', body: 'PatchMemberBody', answer: 'Member' },
    remove: { method: 'DELETE', path: '/v1/organizations/:id/members/:memberId' },
  },
  invitations: {
    create: {
      method: 'POST',
      path: '/v1/organizations/:id/members/invite',
      body: 'InviteBody',
      answer: 'NewInvitation',
      repeatable: true,
    },
    list: { method: 'GET', path: '/v1/organizations/:id/invitations', query: 'InvitationListQuery', answer: 'InvitationList' },
    revoke: { method: 'DELETE', path: '/v1/organizations/:id/invitations/:invitationId' },
    read: {
      method: 'POST',
      path: '/v1/auth/invitations/read',
      body: 'ReadInvitationBody',
      answer: 'InvitationOffer',
      open: true,
    },
    accept: { method: 'POST', path: '/v1/auth/invitations/accept', body: 'AcceptInvitationBody', answer: 'Session', open: true },
  },
  servers: {
    list: { method: 'GET', path: '/v1/servers', query: 'ServerListQuery', answer: 'ServerList' },
    read: { method: 'GET', path: '/v1/servers/:id', answer: 'ServerDetails' },
    metrics: { method: 'GET', path: '/v1/servers/:id/metrics', query: 'MetricsQuery', answer: 'ServerMetrics' },
    processes: { method: 'GET', path: '/v1/servers/:id/processes', query: 'ProcessesQuery', answer: 'ServerProcesses' },
    forecast: { method: 'GET', path: '/v1/servers/:id/forecast', answer: 'ServerForecast' },
    update: { method: 'PATCH', path: '/v1/servers/:id', body: 'PatchServerBody', answer: 'ServerDetails' },
    remove: { method: 'DELETE', path: '/v1/servers/:id' },
    regenerateToken: {
      method: 'POST',
      path: '/v1/servers/:id/regenerate-token',
      answer: 'RegeneratedToken',
      repeatable: true,
    },
  },
  entities: {
    list: { method: 'GET', path: '/v1/entities', query: 'EntityListQuery', answer: 'EntityList' },
  },
  serverEntities: {
    list: { method: 'GET', path: '/v1/servers/:id/entities', query: 'ServerEntityListQuery', answer: 'EntityList' },
    read: { method: 'GET', path: '/v1/servers/:id/entities/:entityId', answer: 'EntityDetails' },
    metrics: {
      method: 'GET',
      path: '/v1/servers/:id/entities/:entityId/metrics',
      query: 'EntityMetricsQuery',
      answer: 'EntityMetrics',
    },
  },
  monitors: {
    ...restorable('/v1/monitors', 'Monitor', 'MonitorDetails'),
    test: { method: 'POST', path: '/v1/monitors/test', body: 'CreateMonitorBody', answer: 'CheckTrial' },
    bulk: { method: 'POST', path: '/v1/monitors/bulk', body: 'BulkMonitorsBody', answer: 'BulkMonitorsAnswer', repeatable: true },
    pause: { method: 'POST', path: '/v1/monitors/:id/pause', answer: 'MonitorDetails' },
    resume: { method: 'POST', path: '/v1/monitors/:id/resume', answer: 'MonitorDetails' },
    check: { method: 'POST', path: '/v1/monitors/:id/check', answer: 'MonitorDetails' },
    stats: { method: 'GET', path: '/v1/monitors/:id/stats', query: 'MonitorStatsQuery', answer: 'MonitorStats' },
  },
  deletedMonitors: deletedOf('/v1/monitors', 'DeletedMonitorList'),
  deletedAlertRules: deletedOf('/v1/alert-rules'),
  deletedChannels: deletedOf('/v1/channels'),
  deletedEscalationPolicies: deletedOf('/v1/escalation-policies'),
  deletedIdentityProviders: deletedOf('/v1/identity-providers'),
  deletedMaintenanceWindows: deletedOf('/v1/maintenance-windows'),
  deletedSchedules: deletedOf('/v1/schedules'),
  deletedSlos: deletedOf('/v1/slos'),
  deletedAlertSources: deletedOf('/v1/alert-sources'),
  deletedStatusPages: deletedOf('/v1/status-pages'),
  checks: {
    list: { method: 'GET', path: '/v1/monitors/:id/checks', query: 'CheckListQuery', answer: 'CheckList' },
  },
  pings: {
    list: { method: 'GET', path: '/v1/monitors/:id/pings', query: 'PingListQuery', answer: 'PingList' },
  },
  pingKey: {
    read: { method: 'GET', path: '/v1/ping-key', answer: 'PingKey' },
    replace: { method: 'PUT', path: '/v1/ping-key', body: 'PutPingKeyBody', answer: 'PingKey' },
  },
  transitions: {
    list: { method: 'GET', path: '/v1/monitors/:id/transitions', query: 'TransitionListQuery', answer: 'TransitionList' },
  },
  apiKeys: {
    list: { method: 'GET', path: '/v1/api-keys', query: 'ApiKeyListQuery', answer: 'ApiKeyList' },
    create: { method: 'POST', path: '/v1/api-keys', body: 'CreateApiKeyBody', answer: 'NewApiKey', repeatable: true },
    read: { method: 'GET', path: '/v1/api-keys/:id', answer: 'ApiKey' },
    update: { method: 'PATCH', path: '/v1/api-keys/:id', body: 'PatchApiKeyBody', answer: 'ApiKey' },
    revoke: { method: 'DELETE', path: '/v1/api-keys/:id' },
  },
  enrollmentTokens: {
    list: {
      method: 'GET',
      path: '/v1/enrollment-tokens',
      query: 'EnrollmentTokenListQuery',
      answer: 'EnrollmentTokenList',
    },
    create: {
      method: 'POST',
      path: '/v1/enrollment-tokens',
      body: 'CreateEnrollmentTokenBody',
      answer: 'NewEnrollmentToken',
      repeatable: true,
    },
    revoke: { method: 'DELETE', path: '/v1/enrollment-tokens/:id' },
  },
  alertRules: {
    ...restorable('/v1/alert-rules', 'AlertRule', 'AlertRule'),
    addDefaults: { method: 'POST', path: '/v1/alert-rules/defaults', answer: 'AddedAlertRules' },
    preview: { method: 'POST', path: '/v1/alert-rules/preview', body: 'CreateAlertRuleBody', answer: 'AlertRulePreview' },
  },
  replays: {
    create: { method: 'POST', path: '/v1/replays', body: 'ReplayBody', answer: 'Replay' },
  },
  events: {
    since: { method: 'GET', path: '/v1/events', query: 'LiveEventQuery', answer: 'LiveEventList' },
  },
  channels: {
    ...restorable('/v1/channels', 'Channel', 'Channel'),
    test: { method: 'POST', path: '/v1/channels/:id/test', answer: 'ChannelTest' },
    testNew: { method: 'POST', path: '/v1/channels/test', body: 'CreateChannelBody', answer: 'ChannelTest' },
    preview: { method: 'POST', path: '/v1/channels/preview', body: 'ChannelPreviewBody', answer: 'ChannelPreview' },
  },
  incidents: {
    list: { method: 'GET', path: '/v1/incidents', query: 'IncidentListQuery', answer: 'IncidentList' },
    read: { method: 'GET', path: '/v1/incidents/:id', answer: 'Incident' },
    story: {
      method: 'GET',
      path: '/v1/incidents/:id/story',
      query: 'IncidentStoryQuery',
      answer: 'IncidentStory',
      texts: ['markdown'],
    },
    acknowledge: {
      method: 'POST',
      path: '/v1/incidents/:id/acknowledge',
      body: 'AcknowledgeIncidentBody',
      answer: 'Incident',
      repeatable: true,
    },
    resolve: {
      method: 'POST',
      path: '/v1/incidents/:id/resolve',
      body: 'IncidentStepBody',
      answer: 'Incident',
      repeatable: true,
    },
    comment: {
      method: 'POST',
      path: '/v1/incidents/:id/comments',
      body: 'IncidentCommentBody',
      answer: 'Incident',
      repeatable: true,
    },
  },
  statusPages: {
    ...restorable('/v1/status-pages', 'StatusPage', 'StatusPage'),
    preview: { method: 'GET', path: '/v1/status-pages/:id/preview', answer: 'StatusPagePreview' },
    previewDraft: {
      method: 'POST',
      path: '/v1/status-pages/preview',
      body: 'StatusPagePreviewBody',
      answer: 'StatusPagePreview',
    },
    verifyDomain: { method: 'POST', path: '/v1/status-pages/:id/verify-domain', answer: 'StatusPage' },
  },
  statusPosts: {
    list: { method: 'GET', path: '/v1/status-pages/:id/posts', query: 'StatusPostListQuery', answer: 'StatusPostList' },
    create: {
      method: 'POST',
      path: '/v1/status-pages/:id/posts',
      body: 'CreateStatusPostBody',
      answer: 'StatusPost',
      repeatable: true,
    },
    draft: {
      method: 'GET',
      path: '/v1/status-pages/:id/posts/draft',
      query: 'StatusPostDraftQuery',
      answer: 'StatusPostDraft',
    },
    read: { method: 'GET', path: '/v1/status-pages/:id/posts/:postId', answer: 'StatusPost' },
    update: {
      method: 'PATCH',
      path: '/v1/status-pages/:id/posts/:postId',
      body: 'PatchStatusPostBody',
      answer: 'StatusPost',
    },
    remove: { method: 'DELETE', path: '/v1/status-pages/:id/posts/:postId' },
    addUpdate: {
      method: 'POST',
      path: '/v1/status-pages/:id/posts/:postId/updates',
      body: 'StatusPostUpdateBody',
      answer: 'StatusPostUpdate',
      repeatable: true,
    },
    correctUpdate: {
      method: 'PATCH',
      path: '/v1/status-pages/:id/posts/:postId/updates/:updateId',
      body: 'PatchStatusPostUpdateBody',
      answer: 'StatusPostUpdate',
    },
  },
  statusSubscribers: {
    list: { method: 'GET', path: '/v1/status-pages/:id/subscribers', query: 'SubscriberListQuery', answer: 'SubscriberList' },
    create: {
      method: 'POST',
      path: '/v1/status-pages/:id/subscribers',
      body: 'CreateSubscriberBody',
      answer: 'CreatedSubscriber',
      repeatable: true,
    },
    remove: { method: 'DELETE', path: '/v1/status-pages/:id/subscribers/:subscriberId' },
  },
  maintenanceWindows: restorable('/v1/maintenance-windows', 'MaintenanceWindow', 'MaintenanceWindow'),
  reports: {
    uptime: {
      method: 'GET',
      path: '/v1/reports/uptime',
      query: 'UptimeReportQuery',
      answer: 'UptimeReport',
      texts: ['csv', 'html'],
    },
  },
  escalationPolicies: {
    ...restorable('/v1/escalation-policies', 'EscalationPolicy', 'EscalationPolicy'),
    recipients: {
      method: 'GET',
      path: '/v1/escalation-policies/:id/recipients',
      query: 'EscalationRecipientsQuery',
      answer: 'EscalationRecipients',
    },
  },
  schedules: {
    ...restorable('/v1/schedules', 'Schedule', 'Schedule'),
    onCall: { method: 'GET', path: '/v1/schedules/:id/on-call', query: 'ScheduleOnCallQuery', answer: 'OnCall' },
    shifts: { method: 'GET', path: '/v1/schedules/:id/shifts', query: 'ScheduleShiftsQuery', answer: 'ScheduleShifts' },
    replaceCalendar: { method: 'POST', path: '/v1/schedules/:id/calendar', answer: 'ScheduleCalendar', repeatable: true },
    removeCalendar: { method: 'DELETE', path: '/v1/schedules/:id/calendar' },
  },
  shifts: { list: { method: 'GET', path: '/v1/shifts', query: 'ShiftListQuery', answer: 'ShiftList' } },
  changeSets: {
    propose: { method: 'POST', path: '/v1/change-sets', body: 'CreateChangeSetBody', answer: 'ChangeSet', repeatable: true },
    list: { method: 'GET', path: '/v1/change-sets', query: 'ChangeSetListQuery', answer: 'ChangeSetList' },
    read: { method: 'GET', path: '/v1/change-sets/:id', answer: 'ChangeSet' },
    apply: { method: 'POST', path: '/v1/change-sets/:id/apply', answer: 'ChangeSet', repeatable: true },
    undo: { method: 'POST', path: '/v1/change-sets/:id/undo', body: 'UndoChangeSetBody', answer: 'ChangeSet', repeatable: true },
  },
  configuration: {
    read: {
      method: 'GET',
      path: '/v1/configuration',
      query: 'ConfigurationQuery',
      answer: 'Configuration',
      texts: ['yaml'],
    },
    compare: {
      method: 'POST',
      path: '/v1/configuration/compare',
      body: 'CreateChangeSetBody',
      answer: 'ConfigurationComparison',
    },
    drift: { method: 'GET', path: '/v1/drift', query: 'DriftQuery', answer: 'Drift' },
  },
  annotations: {
    list: { method: 'GET', path: '/v1/annotations', query: 'AnnotationListQuery', answer: 'AnnotationList' },
    create: { method: 'POST', path: '/v1/annotations', body: 'CreateAnnotationBody', answer: 'Annotation', repeatable: true },
  },
  certificates: crud('/v1/certificates', 'Certificate', 'CertificateDetails'),
  reclassifications: {
    list: {
      method: 'GET',
      path: '/v1/monitors/:id/reclassifications',
      query: 'ReclassificationListQuery',
      answer: 'ReclassificationList',
    },
    create: {
      method: 'POST',
      path: '/v1/monitors/:id/reclassifications',
      body: 'CreateReclassificationBody',
      answer: 'Reclassification',
      repeatable: true,
    },
    remove: { method: 'DELETE', path: '/v1/monitors/:id/reclassifications/:reclassificationId' },
  },
  exports: crud('/v1/exports', 'Export', 'Export'),
  alerts: {
    take: { method: 'POST', path: '/v1/in/:token', body: 'SentAlerts', answer: 'TakenAlerts', open: true },
  },
  alertSources: {
    ...restorable('/v1/alert-sources', 'AlertSource', 'AlertSource'),
    samples: { method: 'GET', path: '/v1/alert-sources/:id/samples', answer: 'AlertSampleList' },
    addHistory: {
      method: 'POST',
      path: '/v1/alert-sources/:id/history',
      body: 'AddAlertHistoryBody',
      answer: 'AlertHistoryAnswer',
    },
    confirm: { method: 'POST', path: '/v1/alert-sources/:id/confirm', answer: 'AlertSource' },
    rotateToken: { method: 'POST', path: '/v1/alert-sources/:id/rotate-token', answer: 'AlertSource', repeatable: true },
    test: { method: 'POST', path: '/v1/alert-sources/:id/test', answer: 'AlertSourceTest' },
  },
  slos: restorable('/v1/slos', 'Slo', 'SloDetails'),
  overview: {
    read: { method: 'GET', path: '/v1/overview', answer: 'Overview' },
    states: { method: 'GET', path: '/v1/overview/states', answer: 'States' },
  },
  auditEvents: {
    list: { method: 'GET', path: '/v1/audit-events', query: 'AuditQuery', answer: 'AuditList' },
  },
  securityEvents: {
    list: { method: 'GET', path: '/v1/security-events', query: 'SecurityEventQuery', answer: 'SecurityEventList' },
  },
  agent: {
    register: { method: 'POST', path: '/v1/agent/register', body: 'RegisterBody', answer: 'RegisterAnswer', repeatable: true },
    updateFacts: { method: 'PUT', path: '/v1/agent/facts', body: 'FactsBody' },
    submitMetrics: { method: 'POST', path: '/v1/agent/metrics', body: 'PushBody', answer: 'PushAnswer' },
  },
  regions: {
    read: { method: 'GET', path: '/v1/regions', answer: 'RegionList' },
  },
  probe: {
    claim: { method: 'POST', path: '/v1/probe/claims', body: 'ClaimsBody', answer: 'ClaimsAnswer' },
    submitResults: { method: 'POST', path: '/v1/probe/results', body: 'ProbeResultsBody', answer: 'ProbeResultsAnswer' },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Route>>>>
