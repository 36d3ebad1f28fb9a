import type { checkNow as english } from './en/check-now.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: the palette and the page of a monitor load them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/monitor-pages.ts')).checkNow,
  de: async () => (await import('./de/monitor-pages.ts')).checkNow,
}

export const checkNow: Translation<typeof english> = await LOADERS[language]()
