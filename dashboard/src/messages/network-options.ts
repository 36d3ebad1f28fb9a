import { type Language, language } from './language.ts'
import type { NetworkTexts } from './translation.ts'

const LOADERS: Record<Language, () => Promise<NetworkTexts | undefined>> = {
  en: async () => undefined,
  de: async () => (await import('./de/network-options.ts')).networkTexts,
}

export const networkTexts: NetworkTexts | undefined = await LOADERS[language]()
