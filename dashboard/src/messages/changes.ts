import type { changes as english } from './en/changes.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only pages that show them load them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/changes.ts')).changes,
  de: async () => (await import('./de/changes.ts')).changes,
}

export const changes: Translation<typeof english> = await LOADERS[language]()
