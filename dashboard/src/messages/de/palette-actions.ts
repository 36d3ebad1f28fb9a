import type { paletteActions as english } from '../en/palette-actions.ts'
import type { Translation } from '../translation.ts'

export const paletteActions: Translation<typeof english> = {
  words: { acknowledge: 'bestätigen', check: 'prüfen', pause: 'anhalten', resume: 'fortsetzen', silence: 'stummschalten' },
  acknowledge: (name) => `Bestätigen: ${name}`,
  check: (name) => `${name} jetzt prüfen`,
  pause: (name) => `${name} anhalten`,
  resume: (name) => `${name} fortsetzen`,
  silence: (name) => `${name} eine Stunde stummschalten`,
  silenced: (name, time) => `${name} ist bis ${time} stumm`,
}
