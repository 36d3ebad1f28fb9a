import type { windows as english } from './en/windows.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: the first page needs none of them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/windows.ts')).windows,
  de: async () => (await import('./de/windows.ts')).windows,
}

export const windows: Translation<typeof english> = await LOADERS[language]()
