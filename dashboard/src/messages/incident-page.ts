import type { incidentPage as english } from './en/incident-page.ts'
import { type Language, language } from './language.ts'

/** Apart from the other texts: only the page of an incident loads them. */
const LOADERS: Record<Language, () => Promise<typeof english>> = {
  en: async () => (await import('./en/incident-page.ts')).incidentPage,
  de: async () => (await import('./de/incident-page.ts')).incidentPage,
}

export const incidentPage: typeof english = await LOADERS[language]()
