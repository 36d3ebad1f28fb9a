import type { NetworkOptionName } from '@vedette/shared/tables'

/**
 * Texts by the names of the API. Any name may be looked up, since a newer backend may send one that the page does not know; only
 * the names of the English text may be translated.
 */
export type Named<Name extends string, Text> = Readonly<Record<string, Text>> & Readonly<Record<Name, Text>>

/** Only for texts of the first page: elsewhere it would become a file of its own, for which that page has to wait. */
export const named = <Name extends string, Text>(texts: Readonly<Record<Name, Text>>): Named<Name, Text> => texts

/** The texts of a language: exactly the names of the English ones. */
export type Translation<Texts> = Texts extends string | ((...values: never[]) => string)
  ? Texts
  : { readonly [Name in keyof Texts as string extends Name ? never : Name]: Translation<Texts[Name]> }

/** Texts of the options for the network and of their credential, each of them; the English ones are in the shared table. */
export type NetworkTexts = Readonly<Record<NetworkOptionName | 'proxy_password', { label: string; hint: string }>>

/** Texts of kinds of checks by type: what another language says instead of the shared descriptions, which are the English texts. */
export type KindTexts = Readonly<
  Record<string, { label?: string; description?: string; fields?: Readonly<Record<string, { label?: string; hint?: string }>> }>
>
