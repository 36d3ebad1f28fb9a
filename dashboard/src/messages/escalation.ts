import type { escalation as english } from './en/escalation.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only pages of schedules and escalation policies load them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/overview-parts.ts')).escalation,
  de: async () => (await import('./de/overview-parts.ts')).escalation,
}

export const escalation: Translation<typeof english> = await LOADERS[language]()
