import { type Language, language } from './language.ts'

/** Texts of the options for the network, by name; the English ones are in the shared table. */
export type NetworkTexts = Readonly<Record<string, { label: string; hint?: string }>>

const LOADERS: Record<Language, () => Promise<NetworkTexts>> = {
  en: async () => ({}),
  de: async () => (await import('./de/network-options.ts')).networkTexts,
}

export const networkTexts: NetworkTexts = await LOADERS[language]()
