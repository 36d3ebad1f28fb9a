import type { channels as english } from './en/channels.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only pages of channels and subscribers load them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/channels.ts')).channels,
  de: async () => (await import('./de/channels.ts')).channels,
}

export const channels: Translation<typeof english> = await LOADERS[language]()
