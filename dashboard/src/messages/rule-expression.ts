import type { ruleExpression as english } from './en/rule-expression.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only the editor of alert rules loads them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/rule-expression.ts')).ruleExpression,
  de: async () => (await import('./de/rule-expression.ts')).ruleExpression,
}

export const ruleExpression: Translation<typeof english> = await LOADERS[language]()
