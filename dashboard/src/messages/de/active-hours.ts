import type { activeHours as english } from '../en/active-hours.ts'
import type { Translation } from '../translation.ts'

export const activeHours: Translation<typeof english> = {
  title: 'Aktive Zeiten',
  label: 'Nur in diesen Stunden',
  hint: 'Immer. Außerhalb der Stunden, die du hinzufügst, wird nicht geprüft, und diese Zeit zählt nirgends.',
  idle: 'Außerhalb der aktiven Zeiten',
  until: (at) => `Wieder aktiv ab ${at}`,
  entry: (days, from, to, zone) => `${days}, ${from}–${to} Uhr (${zone})`,
}
