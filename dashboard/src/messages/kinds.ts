import { type Language, language } from './language.ts'
import type { KindTexts } from './translation.ts'

/** Apart from the other texts: pages without monitors do not load them. English is in the shared descriptions. */
const LOADERS: Record<Language, () => Promise<KindTexts>> = {
  en: async () => ({}),
  de: async () => (await import('./de/monitor-pages.ts')).kindTexts,
}

export const kindTexts: KindTexts = await LOADERS[language]()
