import type { deleted as english } from './en/deleted.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: the first page needs none of them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/deleted.ts')).deleted,
  de: async () => (await import('./de/deleted.ts')).deleted,
}

export const deleted: Translation<typeof english> = await LOADERS[language]()
