/** The languages of the page, each by its own name, with the locale of its dates and numbers: day before month, 24 hours. */
export const LANGUAGES = {
  en: { name: 'English', locale: 'en-GB' },
  de: { name: 'Deutsch', locale: 'de-DE' },
} as const
export type Language = keyof typeof LANGUAGES

const isLanguage = (name: string): name is Language => Object.hasOwn(LANGUAGES, name)

/** The first language that the page has, of those that the browser prefers, else English. */
export function languageOf(preferred: readonly string[]): Language {
  return preferred.map((tag) => tag.toLowerCase().split('-')[0] ?? '').find(isLanguage) ?? 'en'
}

// Node has a navigator as well: unit tests are in English whatever the system's language is.
export const browserLanguage = languageOf('document' in globalThis ? navigator.languages : [])

// public/theme.js writes the choice of the preferences there.
const chosen = globalThis.document?.documentElement.dataset['language'] ?? 'browser'
/** The language of this page until it is loaded again. */
export const language: Language = isLanguage(chosen) ? chosen : browserLanguage

export const { locale } = LANGUAGES[language]
