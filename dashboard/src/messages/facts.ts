import { type Language, language } from './language.ts'

/** Apart from the texts of kinds: pages with conditions or evidence name facts alone. English is in the shared descriptions. */
const LOADERS: Record<Language, () => Promise<Readonly<Record<string, string>>>> = {
  en: async () => ({}),
  de: async () => (await import('./de/facts.ts')).facts,
}

export const facts: Readonly<Record<string, string>> = await LOADERS[language]()
