import type { passkeys as english } from './en/passkeys.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only the settings, and a browser that has passkeys, load them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/passkeys.ts')).passkeys,
  de: async () => (await import('./de/passkeys.ts')).passkeys,
}

export const passkeys: Translation<typeof english> = await LOADERS[language]()
