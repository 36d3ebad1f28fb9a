import type { alertSources as english } from './en/alert-sources.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only the pages of alerts load them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/alert-sources.ts')).alertSources,
  de: async () => (await import('./de/alert-sources.ts')).alertSources,
}

export const alertSources: Translation<typeof english> = await LOADERS[language]()
