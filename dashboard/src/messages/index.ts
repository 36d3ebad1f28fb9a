import { language } from './language.ts'
import type { en } from './en.ts'

export type Messages = typeof en

/** A language is loaded alone. Its file imports nothing of the page, which waits for it here. */
const LOADERS = {
  en: async (): Promise<Messages> => (await import('./en.ts')).en,
  de: async (): Promise<Messages> => (await import('./de.ts')).de,
}

export const messages: Messages = await LOADERS[language]()
