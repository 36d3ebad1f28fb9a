import type { statusPages as english } from './en/status-pages.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only pages that show them load them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/status-pages.ts')).statusPages,
  de: async () => (await import('./de/status-pages.ts')).statusPages,
}

export const statusPages: Translation<typeof english> = await LOADERS[language]()
