import type { incidents as english } from '../en/incidents.ts'
import type { Translation } from '../translation.ts'

export const incidents: Translation<typeof english> = {
  title: 'Vorfälle',
  noneOpen: 'Keine offenen Vorfälle',
  noneResolved: 'Noch keine behobenen Vorfälle',
  search: 'Vorfälle suchen',
  severity: 'Schweregrad',
  anySeverity: 'Jeder Schweregrad',
  anyTime: 'Jederzeit',
  lastTime: (period) => `Letzte ${period}`,
  ofTarget: (name) => `Von ${name}`,
  repeated: (count, span) => `${count}-mal in ${span}`,
  noneLead: 'Jede Organisation beginnt mit vier Alarmregeln. Ihre Vorfälle erscheinen hier und werden an die Kanäle gesendet.',
  rules: 'Alarmregeln',
  suppressed: 'unterdrückt',
  suppressedLead:
    'Ein Wartungsfenster oder eine Abhängigkeit, die ausgefallen oder noch nicht geprüft ist, unterdrückt die Benachrichtigung. Ist der Vorfall danach noch offen, wird sie gesendet.',
  duration: 'Dauer',
  openFor: 'Offen seit',
  moreChildren: (count) => `und ${count.toLocaleString('de')} weitere`,
  count: (count) => (count === 1 ? '1 Vorfall' : `${count.toLocaleString('de')} Vorfälle`),
  sharedTag: (count, tag) =>
    `${count === undefined ? '' : `${count.toLocaleString('de')} `}Server mit dem Tag ${tag} sind offline`,
  acknowledged: 'Vorfall quittiert. Er wird nicht wiederholt gemeldet.',
  openCount: (count) => (count === 1 ? '1 offener Vorfall' : `${count.toLocaleString('de')} offene Vorfälle`),
}
