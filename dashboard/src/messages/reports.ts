import type { reports as english } from './en/reports.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only the page of reports loads them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/reports.ts')).reports,
  de: async () => (await import('./de/reports.ts')).reports,
}

export const reports: Translation<typeof english> = await LOADERS[language]()
