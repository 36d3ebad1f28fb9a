import type { entities as english } from './en/entities.ts'
import { type Language, language } from './language.ts'

/** Apart from the other texts: only pages that show or rule on entities load them. */
const LOADERS: Record<Language, () => Promise<typeof english>> = {
  en: async () => (await import('./en/health-pages.ts')).entities,
  de: async () => (await import('./de/health-pages.ts')).entities,
}

export const entities: typeof english = await LOADERS[language]()
