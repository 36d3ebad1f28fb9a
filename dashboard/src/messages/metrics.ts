import type { metrics as english } from './en/metrics.ts'
import { type Language, language } from './language.ts'

/** Apart from the other texts: only pages that show conditions of rules load them. */
const LOADERS: Record<Language, () => Promise<typeof english>> = {
  en: async () => (await import('./en/health-pages.ts')).metrics,
  de: async () => (await import('./de/health-pages.ts')).metrics,
}

export const metrics: typeof english = await LOADERS[language]()
