import type { windows as english } from '../en/windows.ts'
import type { Translation } from '../translation.ts'

export const windows: Translation<typeof english> = {
  title: 'Wartungsfenster',
  lead: 'Vorfälle während eines Fensters werden an dessen Ende gemeldet, wenn sie dann noch offen sind.',
  add: 'Fenster hinzufügen',
  empty: {
    title: 'Noch keine Wartungsfenster',
    lead: 'Vor einem Upgrade oder Neustart hinzufügen, einmalig oder wiederholt, damit niemand über Absichtliches benachrichtigt wird.',
  },
  addTitle: 'Wartungsfenster hinzufügen',
  create: 'Fenster anlegen',
  deleteLead: 'Offene Vorfälle, die es unterdrückt, werden sofort gemeldet. Es lässt sich 30 Tage lang wiederherstellen.',
  starts: 'Beginn',
  ends: 'Ende',
  zone: 'Zeitzone',
  zoneHint: 'Das Fenster wiederholt sich zur Ortszeit dieser Zone, auch über Zeitumstellungen hinweg.',
  noSuchTime: 'Diese Zeit gibt es in der Zeitzone wegen einer Zeitumstellung nicht.',
  schedule: 'Zeitplan',
  repeat: 'Wiederholung',
  repeats: {
    once: 'Nie',
    hourly: 'Alle paar Stunden',
    daily: 'Jeden Tag',
    weekly: 'Jede Woche',
    monthly: 'Jeden Monat an diesem Tag',
    custom: 'Eigene Regel',
  },
  days: 'Tage',
  dayNames: { MO: 'Mo', TU: 'Di', WE: 'Mi', TH: 'Do', FR: 'Fr', SA: 'Sa', SU: 'So' },
  rrule: 'RRULE',
  rruleHint: 'RFC 5545, höchstens täglich, zum Beispiel FREQ=MONTHLY;BYDAY=1SU',
  weeklyOn: (days) => `Jede Woche am ${days}`,
  monthlyOn: (dayOfMonth) => `Jeden Monat am ${dayOfMonth}.`,
  until: (time) => `bis ${time}`,
  next: (time) => `nächstes am ${time}`,
  forbidden: 'Nur Mitglieder, Admins und Inhaber können Wartungsfenster ändern.',
}
