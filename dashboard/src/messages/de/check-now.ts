import type { checkNow as english } from '../en/check-now.ts'
import type { Translation } from '../translation.ts'

export const checkNow: Translation<typeof english> = {
  action: 'Jetzt prüfen',
  running: 'Wird geprüft …',
  done: (name, status) => `${name} wurde geprüft: ${status}`,
  waiting: (name, regions) => `${name}: noch kein Ergebnis aus ${regions}`,
}
