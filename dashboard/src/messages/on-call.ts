import type { onCall as english } from './en/on-call.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only pages of escalation and schedules, and the editor of rules, load them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/on-call.ts')).onCall,
  de: async () => (await import('./de/on-call.ts')).onCall,
}

export const onCall: Translation<typeof english> = await LOADERS[language]()
