import type { certificates as english } from './en/certificates.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only pages that show them load them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/certificates.ts')).certificates,
  de: async () => (await import('./de/certificates.ts')).certificates,
}

export const certificates: Translation<typeof english> = await LOADERS[language]()
