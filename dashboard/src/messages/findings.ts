import type { findings as english } from './en/findings.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: the overview does not need them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/health-pages.ts')).findings,
  de: async () => (await import('./de/health-pages.ts')).findings,
}

export const findings: Translation<typeof english> = await LOADERS[language]()
