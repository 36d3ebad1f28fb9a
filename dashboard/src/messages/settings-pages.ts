import type { settingsPages as english } from './en/settings-pages.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only pages that show them load them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/settings-pages.ts')).settingsPages,
  de: async () => (await import('./de/settings-pages.ts')).settingsPages,
}

export const settingsPages: Translation<typeof english> = await LOADERS[language]()
