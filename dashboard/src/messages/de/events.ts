import type * as english from '../en/events.ts'
import type { Translation } from '../translation.ts'

export const events: Translation<typeof english.events> = {
  'incident.opened': 'Vorfall eröffnet',
  'incident.flapping': 'Vorfall wechselhaft',
  'incident.stable': 'Vorfall nicht mehr wechselhaft',
  'incident.acknowledged': 'Vorfall quittiert',
  'incident.resolved': 'Vorfall behoben',
  'monitor.down': 'Monitor ausgefallen',
  'monitor.degraded': 'Monitor beeinträchtigt',
  'monitor.up': 'Monitor verfügbar',
  'certificate.expiring': 'Zertifikat läuft bald ab',
  'server.offline': 'Server offline',
  'server.online': 'Server online',
  'server.health_changed': 'Zustand eines Servers geändert',
  'agent.token_refused': 'Agent benutzt ein ersetztes Token',
  'agent.cloned': 'Geklonte Maschine: Zwei Hosts senden als einer',
  'agent.reregistered': 'Agent erneut registriert',
  'member.invited': 'Mitglied eingeladen',
  'member.joined': 'Mitglied beigetreten',
  'member.role_changed': 'Rolle geändert',
  'member.removed': 'Mitglied entfernt',
  'member.left': 'Mitglied ausgetreten',
  'vedette.unwell': 'Vedette hat ein Problem',
  'vedette.well': 'Vedette läuft wieder',
}
