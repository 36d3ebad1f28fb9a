import type { PageLanguage } from '@vedette/shared'

/** `ended`: the affected components are well again. */
export type DraftState = 'down' | 'degraded' | 'ended'

interface DraftText {
  title: string
  text: string
}

/** A post about what happened to these components, whose names are joined; `several`: there is more than one. */
type DraftTexts = Record<DraftState, (names: string, several: boolean, since: string) => DraftText> & {
  /** Where no component of the page is known to be affected. */
  unknown(since: string): DraftText
  /** Components that are not named; one or more. */
  others(count: number): string
}

const en: DraftTexts = {
  down: (names, several, since) => ({
    title: `${names} ${several ? 'are' : 'is'} unavailable`,
    text: `We are investigating why ${names} ${several ? 'do' : 'does'} not respond since ${since}.`,
  }),
  degraded: (names, several, since) => ({
    title: `${names} ${several ? 'have' : 'has'} problems`,
    text: `We are investigating why ${names} ${several ? 'do' : 'does'} not work as usual since ${since}.`,
  }),
  ended: (names, several, since) => ({
    title: `${names} had problems`,
    text: `${names} did not work as usual since ${since}. ${several ? 'They work' : 'It works'} again.`,
  }),
  unknown: (since) => ({ title: 'We are investigating a problem', text: `We are investigating a problem since ${since}.` }),
  others: (count) => (count === 1 ? '1 other' : `${count} others`),
}

const de: DraftTexts = {
  down: (names, several, since) => ({
    title: `${names} ${several ? 'sind' : 'ist'} nicht verfügbar`,
    text: `Wir untersuchen, warum ${names} seit ${since} nicht ${several ? 'antworten' : 'antwortet'}.`,
  }),
  degraded: (names, several, since) => ({
    title: `${names} ${several ? 'haben' : 'hat'} Probleme`,
    text: `Wir untersuchen, warum ${names} seit ${since} nicht wie gewohnt ${several ? 'funktionieren' : 'funktioniert'}.`,
  }),
  ended: (names, several, since) => ({
    title: `${names} ${several ? 'hatten' : 'hatte'} Probleme`,
    text: `${names} ${several ? 'funktionierten' : 'funktionierte'} seit ${since} nicht wie gewohnt. Inzwischen ist das Problem behoben.`,
  }),
  unknown: (since) => ({ title: 'Wir untersuchen ein Problem', text: `Wir untersuchen seit ${since} ein Problem.` }),
  others: (count) => (count === 1 ? '1 weitere' : `${count} weitere`),
}

export const DRAFT_TEXTS: Record<PageLanguage, DraftTexts> = { en, de }
