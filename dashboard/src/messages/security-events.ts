import type { securityEvents as english } from './en/security-events.ts'
import { type Language, language } from './language.ts'

const LOADERS: Record<Language, () => Promise<typeof english>> = {
  en: async () => (await import('./en/security-events.ts')).securityEvents,
  de: async () => (await import('./de/security-events.ts')).securityEvents,
}

export const securityEvents: typeof english = await LOADERS[language]()
