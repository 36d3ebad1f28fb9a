import type { sources as english } from './en/sources.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only the pages with the switches of a host load them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/sources.ts')).sources,
  de: async () => (await import('./de/sources.ts')).sources,
}

export const sources: Translation<typeof english> = await LOADERS[language]()
