import type { replays as english } from './en/replays.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only the page of replays, and pages that link to it, load them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/replays.ts')).replays,
  de: async () => (await import('./de/replays.ts')).replays,
}

export const replays: Translation<typeof english> = await LOADERS[language]()
