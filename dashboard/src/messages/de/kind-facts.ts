import type { kindFacts as english } from '../en/kind-facts.ts'
import type { Translation } from '../translation.ts'

export const kindFacts: Translation<typeof english> = {
  title: 'Was die Prüfungen finden',
  times: 'Zeiten der letzten Prüfungen',
  figures: 'Werte der letzten Prüfungen',
}
