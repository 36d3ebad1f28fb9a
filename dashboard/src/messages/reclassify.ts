import type { reclassify as english } from './en/reclassify.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only its dialogs load them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/reclassify.ts')).reclassify,
  de: async () => (await import('./de/reclassify.ts')).reclassify,
}

export const reclassify: Translation<typeof english> = await LOADERS[language]()
