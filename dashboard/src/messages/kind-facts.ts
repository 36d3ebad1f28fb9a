import type { kindFacts as english } from './en/kind-facts.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only pages of monitors of some kinds load them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/monitor-pages.ts')).kindFacts,
  de: async () => (await import('./de/monitor-pages.ts')).kindFacts,
}

export const kindFacts: Translation<typeof english> = await LOADERS[language]()
