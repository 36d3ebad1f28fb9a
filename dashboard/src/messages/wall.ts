import type { wall as english } from './en/wall.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only what is below the problems of the overview, and the wall, load them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/overview-parts.ts')).wall,
  de: async () => (await import('./de/overview-parts.ts')).wall,
}

export const wall: Translation<typeof english> = await LOADERS[language]()
