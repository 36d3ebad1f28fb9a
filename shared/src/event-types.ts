/** The types of live events; webhooks choose from them. */
export const EVENT_TYPES = [
  'incident.opened',
  'incident.acknowledged',
  'incident.resolved',
  'monitor.down',
  'monitor.degraded',
  'monitor.up',
  'certificate.expiring',
  'server.offline',
  'server.online',
  'agent.token_refused',
  'agent.cloned',
  'agent.reregistered',
  'member.invited',
  'member.joined',
  'member.role_changed',
  'member.removed',
  'member.left',
  'vedette.unwell',
  'vedette.well',
] as const
export type EventType = (typeof EVENT_TYPES)[number]
