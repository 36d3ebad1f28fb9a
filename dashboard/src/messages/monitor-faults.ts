import type { monitorFaults as english } from './en/monitor-faults.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts of the editor: they come with what checks a monitor, at the first change. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/monitor-faults.ts')).monitorFaults,
  de: async () => (await import('./de/monitor-faults.ts')).monitorFaults,
}

export const monitorFaults: Translation<typeof english> = await LOADERS[language]()
