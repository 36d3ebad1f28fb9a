import { named } from '../translation.ts'

export const settings = {
  title: 'Settings',
  sections: {
    profile: 'Profile',
    security: 'Security',
    organization: 'Organization',
    members: 'Members',
    keys: 'API keys',
    changes: 'Changes',
    audit: 'Audit log',
    securityLog: 'Security log',
  },
  totp: {
    demanded: (name: string) => `${name} demands two-factor authentication`,
    demandedLead: 'Set it up, or sign in with a passkey.',
  },
  roles: named({
    owner: { name: 'Owner', may: 'Everything, including deleting the organization' },
    admin: { name: 'Admin', may: 'Manages members, servers, channels and API keys, and deletes monitors' },
    member: { name: 'Member', may: 'Creates and changes monitors, alert rules and maintenance windows' },
    viewer: { name: 'Viewer', may: 'Read-only access' },
  }),
  forbidden: 'Your role does not have access to this page. Ask an owner or admin.',
}
