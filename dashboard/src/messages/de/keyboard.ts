import type { Translation } from '../translation.ts'
import type { keyboard as english } from '../en/keyboard.ts'

export const keyboard: Translation<typeof english> = {
  title: 'Tastenkürzel',
  search: 'Diese Liste durchsuchen',
  rows: 'Nächste und vorige Zeile',
  goTo: (page) => `Gehe zu ${page}`,
  help: 'Tastenkürzel anzeigen',
}
