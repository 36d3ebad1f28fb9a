import type { IncidentItem } from '@vedette/shared'
import type { Message } from './message.ts'
import { incidentText } from './texts.ts'

/** Its name has what breaks a template that does not escape it. */
const INCIDENT: IncidentItem = {
  id: 'inc_01m7z4m0x9e8ztq5yfr3b6k2jh',
  rule_id: 'alr_01m7ynqmvhfbxs9k5e3v0cr7tz',
  origin: { type: 'rule', id: 'alr_01m7ynqmvhfbxs9k5e3v0cr7tz' },
  target: { type: 'monitor', id: 'mon_01m7z3vk2kewwbm06fcdra9ncd', name: 'Shop "EU"' },
  status: 'open',
  severity: 'critical',
  summary: 'Shop "EU" is down: status 503 (expected 200–399)',
  silenced: false,
  parent_id: null,
  story_id: null,
  cause: null,
  labels: {},
  flapping: false,
  opened_at: '2026-11-21T09:24:31.000Z',
  acknowledged_at: null,
  acknowledged_by: null,
  resolved_at: null,
}

/** The opening of an incident, as channels get it; without one that of an example. Pure. */
export function openingOf(incident: IncidentItem = INCIDENT, publicUrl = 'https://vedette.example.com'): Message {
  const type = 'incident.opened'
  return {
    id: 'msg_01m7z4m0x9e8ztq5yfr3b6k2jh',
    type,
    atMs: Date.parse(incident.opened_at),
    data: { incident },
    content: incidentText(type, incident, 0),
    link: `${publicUrl}/incidents/${incident.id}`,
  }
}
