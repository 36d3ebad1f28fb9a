import type { auditActions as english } from './en/audit-actions.ts'
import { type Language, language } from './language.ts'

/** Apart from the other texts: the audit log and the activity of the overview load them, which are not needed at first. */
const LOADERS: Record<Language, () => Promise<typeof english>> = {
  en: async () => (await import('./en/overview-parts.ts')).auditActions,
  de: async () => (await import('./de/overview-parts.ts')).auditActions,
}

export const auditActions: typeof english = await LOADERS[language]()
