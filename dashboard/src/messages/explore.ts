import type { explore as english } from './en/explore.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only the page of PromQL loads them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/explore.ts')).explore,
  de: async () => (await import('./de/explore.ts')).explore,
}

export const explore: Translation<typeof english> = await LOADERS[language]()
