import type { deleted as english } from '../en/deleted.ts'
import type { Translation } from '../translation.ts'

export const deleted: Translation<typeof english> = {
  show: 'Gelöschte anzeigen',
  title: 'Gelöscht',
  lead: 'Jeder Eintrag lässt sich bis zu seinem Datum so wiederherstellen, wie er war, mit seinem Verlauf.',
  empty: 'In den letzten 30 Tagen wurde nichts gelöscht',
  restore: 'Wiederherstellen',
  removed: 'Endgültig entfernt',
  monitors: {
    title: 'Gelöschte Monitore',
    lead: 'Jeder lässt sich bis zu seinem Datum mit seinem Verlauf wiederherstellen.',
    empty: {
      title: 'In den letzten 30 Tagen wurde kein Monitor gelöscht',
      lead: 'So lange bleibt ein gelöschter Monitor mit seinem Verlauf hier.',
    },
  },
}
