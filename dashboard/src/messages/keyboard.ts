import type { keyboard as english } from './en/keyboard.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only the list of the shortcuts loads them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/keyboard.ts')).keyboard,
  de: async () => (await import('./de/keyboard.ts')).keyboard,
}

export const keyboard: Translation<typeof english> = await LOADERS[language]()
