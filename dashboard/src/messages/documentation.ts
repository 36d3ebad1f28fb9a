import type { documentation as english } from './en/documentation.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: what shows or edits a description loads them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/documentation.ts')).documentation,
  de: async () => (await import('./de/documentation.ts')).documentation,
}

export const documentation: Translation<typeof english> = await LOADERS[language]()
