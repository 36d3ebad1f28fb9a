import type { Permission } from '../lib/api.ts'
import { messages } from '../messages/index.ts'

const names = messages.settings.sections

/** The sections of the settings, by their part of the address. */
export const SETTINGS_SECTIONS = [
  { id: 'profile', name: names.profile },
  { id: 'security', name: names.security },
  { id: 'organization', name: names.organization, needs: 'org:read' },
  { id: 'members', name: names.members, needs: 'org:read' },
  { id: 'keys', name: names.keys, needs: 'integrations:manage' },
  { id: 'audit', name: names.audit, needs: 'audit:read' },
  { id: 'security-log', name: names.securityLog, needs: 'audit:read' },
] as const satisfies readonly { id: string; name: string; needs?: Permission }[]

/** Those that the role may open. */
export const allowedSections = (can: (permission: Permission) => boolean) =>
  SETTINGS_SECTIONS.filter((section) => !('needs' in section) || can(section.needs))
