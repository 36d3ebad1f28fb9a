import type { settings as english } from '../en/settings.ts'
import type { Translation } from '../translation.ts'

export const settings: Translation<typeof english> = {
  title: 'Einstellungen',
  sections: {
    profile: 'Profil',
    security: 'Sicherheit',
    organization: 'Organisation',
    members: 'Mitglieder',
    keys: 'API-Schlüssel',
    changes: 'Änderungen',
    audit: 'Änderungsprotokoll',
    securityLog: 'Sicherheitsprotokoll',
  },
  totp: {
    demanded: (name) => `${name} verlangt die Zwei-Faktor-Anmeldung`,
    demandedLead: 'Richte sie ein, oder melde dich mit einem Passkey an.',
  },
  roles: {
    owner: { name: 'Inhaber', may: 'Alles, auch die Organisation löschen' },
    admin: { name: 'Admin', may: 'Verwaltet Mitglieder, Server, Kanäle und API-Schlüssel und löscht Monitore' },
    member: { name: 'Mitglied', may: 'Legt Monitore, Alarmregeln und Wartungsfenster an und ändert sie' },
    viewer: { name: 'Betrachter', may: 'Nur Lesezugriff' },
  },
  forbidden: 'Die eigene Rolle hat keinen Zugriff auf diese Seite. Inhaber oder Admins fragen.',
}
