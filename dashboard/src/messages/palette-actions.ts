import type { paletteActions as english } from './en/palette-actions.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only the palette loads them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/palette-actions.ts')).paletteActions,
  de: async () => (await import('./de/palette-actions.ts')).paletteActions,
}

export const paletteActions: Translation<typeof english> = await LOADERS[language]()
