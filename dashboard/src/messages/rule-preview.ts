import type { rulePreview as english } from './en/rule-preview.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only the editor of alert rules loads them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/rule-preview.ts')).rulePreview,
  de: async () => (await import('./de/rule-preview.ts')).rulePreview,
}

export const rulePreview: Translation<typeof english> = await LOADERS[language]()
