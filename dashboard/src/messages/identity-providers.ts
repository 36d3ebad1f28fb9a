import type { identityProviders as english } from './en/identity-providers.ts'
import { type Language, language } from './language.ts'
import type { Translation } from './translation.ts'

/** Apart from the other texts: only the settings and those who sign in by a provider load them. */
const LOADERS: Record<Language, () => Promise<Translation<typeof english>>> = {
  en: async () => (await import('./en/identity-providers.ts')).identityProviders,
  de: async () => (await import('./de/identity-providers.ts')).identityProviders,
}

export const identityProviders: Translation<typeof english> = await LOADERS[language]()
