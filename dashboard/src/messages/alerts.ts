import type { alerts as english } from './en/alerts.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only pages that show them load them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/alerts.ts')).alerts,
  de: async () => (await import('./de/alerts.ts')).alerts,
}

export const alerts: Translation<typeof english> = await LOADERS[language]()
