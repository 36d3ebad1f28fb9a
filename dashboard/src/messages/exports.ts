import type { exports as english } from './en/exports.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only the settings load them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/exports.ts')).exports,
  de: async () => (await import('./de/exports.ts')).exports,
}

export const exports: Translation<typeof english> = await LOADERS[language]()
