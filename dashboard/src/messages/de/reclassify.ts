import type { reclassify as english } from '../en/reclassify.ts'
import type { Translation } from '../translation.ts'

export const reclassify: Translation<typeof english> = {
  title: 'Zeitraum umwerten',
  lead: 'Die Prüfungen bleiben, wie sie sind. Statistiken, Berichte, Ziele und Statusseiten zählen sie anders und sagen, wer es war.',
  as: 'Zählt',
  kinds: {
    maintenance: 'als Wartung',
    excluded: 'gar nicht',
    counted: 'trotz Wartungsfenster',
  },
  from: 'Von',
  to: 'Bis',
  comment: 'Warum',
  submit: 'Umwerten',
  done: 'Zeitraum umgewertet',
  listTitle: 'Umgewertete Zeiträume',
  none: 'Kein Zeitraum dieses Monitors ist umgewertet.',
  by: (name, day) => `von ${name} am ${day}`,
  takeBack: 'Zurücknehmen',
  takeBackOf: (from) => `Den Zeitraum ab ${from} zurücknehmen`,
  takenBack: 'Umwertung zurückgenommen',
}
