import type { activeHours as english } from './en/active-hours.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: what shows or edits active hours loads them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/active-hours.ts')).activeHours,
  de: async () => (await import('./de/active-hours.ts')).activeHours,
}

export const activeHours: Translation<typeof english> = await LOADERS[language]()
