import type { slos as english } from './en/slos.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only pages that show them load them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/overview-parts.ts')).slos,
  de: async () => (await import('./de/overview-parts.ts')).slos,
}

export const slos: Translation<typeof english> = await LOADERS[language]()
