import type { slos as english } from '../en/slos.ts'
import type { Translation } from '../translation.ts'

export const slos: Translation<typeof english> = {
  lead: 'Ein SLO (Service Level Objective) sagt, welcher Anteil der Prüfungen in einem Zeitraum gut sein muss. Seine Alarme öffnen Vorfälle.',
  add: 'SLO anlegen',
  empty: {
    title: 'Noch keine SLOs',
    lead: 'Ein SLO zählt die guten Prüfungen eines Monitors oder aller Monitore mit einem Schlagwort und zeigt, wie viele schlechte das Ziel noch erlaubt.',
  },
  forbidden: 'Nur Mitglieder, Admins und Inhaber können SLOs ändern.',
  deleteLead:
    'Seine offenen Vorfälle werden behoben. Das lässt sich einige Sekunden lang rückgängig machen; dann entsteht ein neues SLO.',
  states: { met: 'Erreicht', burning: 'Gefährdet', exceeded: 'Verfehlt', no_checks: 'Keine Prüfungen' },
  goal: {
    availability: (objective) => `${objective} der Prüfungen nicht down`,
    latency: (objective, threshold) => `${objective} der Prüfungen unter ${threshold}`,
  },
  windows: {
    '7d': 'Letzte 7 Tage',
    '28d': 'Letzte 28 Tage',
    '30d': 'Letzte 30 Tage',
    '90d': 'Letzte 90 Tage',
    month: 'Kalendermonat',
    quarter: 'Kalenderquartal',
  },
  budget: 'Fehlerbudget',
  budgetLeft: 'Verbleibendes Budget',
  good: 'Gute Prüfungen',
  objective: 'Ziel',
  bad: 'Schlechte Prüfungen',
  badOf: (bad, allowed) => `${bad} von ${allowed} erlaubten`,
  total: 'Gezählte Prüfungen',
  range: 'Gezählt',
  countedUntil: (from, to) => `${from} bis ${to}`,
  exactFrom: (time) => `Vor ${time} werden ganze Tage gezählt.`,
  counted: 'Unklare Prüfungen und Prüfungen in einer Wartung zählen nicht.',
  burnRates: 'Verbrauchsraten',
  burnLead: 'Eine Rate von 1× verbraucht das Budget genau bis zum Ende des Zeitraums.',
  burn: {
    window: 'Fenster',
    rate: 'Rate',
    threshold: 'Alarm über',
    checks: 'Prüfungen',
    alert: 'Alarm',
    on: 'An',
    off: 'Aus',
    tooFew: 'zu wenige Prüfungen für eine Aussage',
  },
  past: 'Frühere Vorfälle',
  editor: {
    kind: 'Gute Prüfungen sind',
    kinds: { availability: 'Prüfungen, die nicht down sind', latency: 'Prüfungen, die schnell genug antworten' },
    threshold: 'Antwortzeit unter (ms)',
    objective: 'Ziel (% der Prüfungen)',
    objectiveHint: '50 bis 99,999',
    window: 'Zeitraum',
    alerts: 'Alarme bei schnellem Verbrauch',
    alertsLead:
      'Ein Alarm öffnet einen Vorfall, solange das Budget in beiden Fenstern schneller verbraucht wird als sein Schwellwert.',
    alertHint: (long, short, severity) => `über ${long} und ${short}, ${severity}`,
    create: 'SLO anlegen',
  },
}
