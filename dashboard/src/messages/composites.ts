import type { composites as english } from './en/composites.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only pages of monitors load them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/monitor-pages.ts')).composites,
  de: async () => (await import('./de/monitor-pages.ts')).composites,
}

export const composites: Translation<typeof english> = await LOADERS[language]()
