import { Type } from 'typebox'

/** Prefix of each kind of id; the rest of a TypeID is 26 base32 characters of a UUIDv7. */
export const ID_PREFIX = {
  organization: 'org',
  user: 'usr',
  session: 'ses',
  server: 'srv',
  monitor: 'mon',
  apiKey: 'key',
  enrollmentToken: 'enr',
  invitation: 'inv',
  alertRule: 'alr',
  channel: 'chn',
  incident: 'inc',
  maintenanceWindow: 'mnt',
  slo: 'slo',
  series: 'ser',
  schedule: 'sch',
  escalationPolicy: 'esp',
  identityProvider: 'idp',
  auditEvent: 'aud',
  securityEvent: 'sec',
  notification: 'msg',
  event: 'evt',
  pushSubscription: 'psh',
  chatAccount: 'cha',
  passkey: 'pky',
  statusPage: 'spg',
  post: 'pst',
  postUpdate: 'pup',
  subscriber: 'sub',
  entity: 'ent',
  annotation: 'ann',
  certificate: 'crt',
  changeSet: 'chg',
  export: 'exp',
  alertSource: 'als',
  reclassification: 'rcl',
  external: 'ext',
} as const
export type IdKind = keyof typeof ID_PREFIX

/** An id of that kind, the same in all examples. */
export const exampleId = (kind: IdKind): string => `${ID_PREFIX[kind]}_01m7ynqmvhef3v0qj0h7d9m2cs`

/** Schema of an id in an answer. Ids in requests are plain strings: one that does not parse is a 404 like an unknown one. */
export function IdOf(kind: IdKind, description?: string) {
  const pattern = `^${ID_PREFIX[kind]}_[0-7][0-9a-hjkmnp-tv-z]{25}$`
  return Type.String({ pattern, examples: [exampleId(kind)], ...(description !== undefined && { description }) })
}

/** An id in a path, of any text (as long as a URL may be): what does not parse is answered like what does not exist. */
function PathId(kind: IdKind, thing: string) {
  return Type.String({ maxLength: 8_192, description: `Id of the ${thing}: \`${ID_PREFIX[kind]}_…\`` })
}

export const ServerParams = Type.Object({ id: PathId('server', 'server') })
export const EntityParams = Type.Object({ id: PathId('server', 'server'), entityId: PathId('entity', 'entity') })
export const MonitorParams = Type.Object({ id: PathId('monitor', 'monitor') })
export const ReclassificationParams = Type.Object({
  id: PathId('monitor', 'monitor'),
  reclassificationId: PathId('reclassification', 'reclassification'),
})
export const SessionParams = Type.Object({ id: PathId('session', 'session') })
export const PushSubscriptionParams = Type.Object({ id: PathId('pushSubscription', 'subscription') })
export const ChatAccountParams = Type.Object({ id: PathId('chatAccount', 'chat account') })
export const PasskeyParams = Type.Object({ id: PathId('passkey', 'passkey') })
export const ApiKeyParams = Type.Object({ id: PathId('apiKey', 'API key') })
export const EnrollmentTokenParams = Type.Object({ id: PathId('enrollmentToken', 'enrollment token') })
export const AlertRuleParams = Type.Object({ id: PathId('alertRule', 'alert rule') })
export const ChannelParams = Type.Object({ id: PathId('channel', 'channel') })
export const ContactMethodParams = Type.Object({ id: PathId('channel', 'contact method') })
export const IncidentParams = Type.Object({ id: PathId('incident', 'incident') })
export const MaintenanceWindowParams = Type.Object({ id: PathId('maintenanceWindow', 'maintenance window') })
export const StatusPageParams = Type.Object({ id: PathId('statusPage', 'status page') })
export const StatusPostParams = Type.Object({ id: PathId('statusPage', 'status page'), postId: PathId('post', 'post') })
export const StatusPostUpdateParams = Type.Object({
  id: PathId('statusPage', 'status page'),
  postId: PathId('post', 'post'),
  updateId: PathId('postUpdate', 'update'),
})
export const ScheduleParams = Type.Object({ id: PathId('schedule', 'schedule') })
export const EscalationPolicyParams = Type.Object({ id: PathId('escalationPolicy', 'escalation policy') })
export const IdentityProviderParams = Type.Object({ id: PathId('identityProvider', 'identity provider') })
export const SloParams = Type.Object({ id: PathId('slo', 'SLO') })
export const SubscriberParams = Type.Object({
  id: PathId('statusPage', 'status page'),
  subscriberId: PathId('subscriber', 'subscriber'),
})
export const CertificateParams = Type.Object({ id: PathId('certificate', 'certificate') })
export const ExportParams = Type.Object({ id: PathId('export', 'export') })
export const AlertSourceParams = Type.Object({ id: PathId('alertSource', 'alert source') })
export const ChangeSetParams = Type.Object({ id: PathId('changeSet', 'change set') })
export const OrganizationParams = Type.Object({ id: PathId('organization', 'organization') })
export const MemberParams = Type.Object({
  id: PathId('organization', 'organization'),
  memberId: PathId('user', 'member, who is a user'),
})
export const InvitationParams = Type.Object({
  id: PathId('organization', 'organization'),
  invitationId: PathId('invitation', 'invitation'),
})
