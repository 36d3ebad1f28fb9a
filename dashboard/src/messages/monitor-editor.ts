import type { monitorEditor as english } from './en/monitor-editor.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only the pages that add and change a monitor load them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/monitor-editor.ts')).monitorEditor,
  de: async () => (await import('./de/monitor-editor.ts')).monitorEditor,
}

export const monitorEditor: Translation<typeof english> = await LOADERS[language]()
