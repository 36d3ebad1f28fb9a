import type { addServer as english } from './en/add-server.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only the page that adds a server loads them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/add-server.ts')).addServer,
  de: async () => (await import('./de/add-server.ts')).addServer,
}

export const addServer: Translation<typeof english> = await LOADERS[language]()
