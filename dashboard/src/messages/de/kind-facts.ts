import type { kindFacts as english } from '../en/kind-facts.ts'
import type { Translation } from '../translation.ts'

const plural = (count: number, one: string, many: string): string => `${count.toLocaleString('de')} ${count === 1 ? one : many}`
const figure = (value: number): string => value.toLocaleString('de', { maximumFractionDigits: 1 })

export const kindFacts: Translation<typeof english> = {
  words: {
    loss: (percent) => `${figure(percent)} % Verlust`,
    roundTrip: (ms) => `${figure(ms)} ms`,
    certificate: (days) => (days < 0 ? 'Zertifikat abgelaufen' : `Zertifikat ${plural(days, 'Tag', 'Tage')}`),
    registered: (days) => `registriert für ${plural(Math.floor(days), 'Tag', 'Tage')}`,
    answers: (count) => plural(count, 'Antwort', 'Antworten'),
    rows: (count) => plural(count, 'Zeile', 'Zeilen'),
    entries: (count) => plural(count, 'Eintrag', 'Einträge'),
    offset: (ms) => `Uhr ${figure(ms)} ms daneben`,
    steps: (count) => plural(count, 'Schritt', 'Schritte'),
    next: (at) => `nächster Ping ${at}`,
    late: (at) => `Ping verspätet seit ${at}`,
  },
  title: 'Was die Prüfungen finden',
  times: 'Zeiten der letzten Prüfungen',
  figures: 'Werte der letzten Prüfungen',
}
