import type { Translation } from '../translation.ts'
import type { passkeys as english } from '../en/passkeys.ts'

export const passkeys: Translation<typeof english> = {
  title: 'Passkeys',
  lead: 'Mit einem Passkey meldet dein Gerät dich an: mit Fingerabdruck, Gesicht oder PIN, ohne Passwort und Code.',
  unavailable: 'Browser bieten Passkeys nur für Hostnamen über HTTPS an: Öffne Vedette über den Namen.',
  signIn: 'Mit Passkey anmelden',
  add: 'Passkey hinzufügen',
  name: 'Name',
  nameHint: 'Damit du ihn in dieser Liste erkennst',
  password: 'Dein Passwort',
  create: 'Anlegen',
  added: 'Passkey hinzugefügt',
  present: 'Dieses Gerät hat schon einen Passkey für dein Konto.',
  created: 'Hinzugefügt',
  lastUsed: 'zuletzt benutzt',
  neverUsed: 'nie benutzt',
  synced: 'auf deinen Geräten synchronisiert',
  rename: 'Umbenennen',
  renamed: 'Passkey umbenannt',
  save: 'Speichern',
  remove: 'Entfernen',
  removeTitle: (name: string) => `${name} entfernen?`,
  removeLead:
    'Er meldet dich nicht mehr an, und die anderen Sitzungen, die er geöffnet hat, enden. Lösche ihn auch auf deinem Gerät.',
  removed: 'Passkey entfernt',
}
