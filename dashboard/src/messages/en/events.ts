import { named } from '../translation.ts'

/** Live events by their type, as the activity and the editor of webhooks show them. */
export const events = named({
  'incident.opened': 'Incident opened',
  'incident.flapping': 'Incident flapping',
  'incident.stable': 'Incident no longer flapping',
  'incident.acknowledged': 'Incident acknowledged',
  'incident.resolved': 'Incident resolved',
  'monitor.down': 'Monitor down',
  'monitor.degraded': 'Monitor degraded',
  'monitor.up': 'Monitor up',
  'certificate.expiring': 'Certificate expires soon',
  'server.offline': 'Server offline',
  'server.online': 'Server online',
  'server.health_changed': 'Health of a server changed',
  'agent.token_refused': 'Agent uses a replaced token',
  'agent.cloned': 'Cloned machine: two hosts push as one',
  'agent.reregistered': 'Agent registered again',
  'member.invited': 'Member invited',
  'member.joined': 'Member joined',
  'member.role_changed': 'Role changed',
  'member.removed': 'Member removed',
  'member.left': 'Member left',
  'vedette.unwell': 'Vedette has a problem',
  'vedette.well': 'Vedette has recovered',
})
