import type { wall as english } from '../en/wall.ts'
import type { Translation } from '../translation.ts'

const number = (count: number) => count.toLocaleString('de')

export const wall: Translation<typeof english> = {
  title: 'Wandansicht',
  fullScreen: 'Vollbild',
  leave: 'Verlassen',
  sound: 'Ton',
  soundOn: 'Ton an: ein neuer Vorfall ist zu hören',
  pause: 'Wechsel anhalten',
  resume: 'Weiter wechseln',
  incidents: (count) => (count === 1 ? '1 offener Vorfall' : `${number(count)} offene Vorfälle`),
  monitors: (count) => `${number(count)} ausgefallen`,
  degraded: (count) => `${number(count)} beeinträchtigt`,
  servers: (count) => `${number(count)} offline`,
  unhealthy: (count) => `${number(count)} nicht gesund`,
  lost: (time) => `Keine Verbindung: Stand ${time}`,
  screens: { state: 'Zustand', people: 'Bereitschaft und Budgets', activity: 'Letzte Änderungen' },
  screen: (name, index, of) => `${name} (${index} von ${of})`,
  signedOut:
    'Dieses Gerät meldet sich in höchstens 12 Stunden ab. Mit „Auf diesem Gerät angemeldet bleiben“ bei der Anmeldung bleibt es, solange die Wandansicht offen ist.',
  groupBy: 'Gruppieren',
  byKind: 'Server und Monitore',
  byTag: 'Nach Tag',
  byKey: (key) => `Nach ${key}`,
  untagged: 'Ohne Tag',
  moreGroups: (count) => `${number(count)} weitere Gruppen werden nicht angezeigt.`,
  onDuty: 'In Bereitschaft',
  schedules: 'Dienstpläne',
  budgets: 'Fehlerbudgets',
}
