/**
 * Texts by the names of the API. Any name may be looked up, since a newer backend may send one that the page does not know; only
 * the names of the English text may be translated.
 */
export type Named<Name extends string, Text> = Readonly<Record<string, Text>> & Readonly<Record<Name, Text>>

export const named = <Name extends string, Text>(texts: Readonly<Record<Name, Text>>): Named<Name, Text> => texts

/** The texts of a language: exactly the names of the English ones. */
export type Translation<Texts> = Texts extends string | ((...values: never[]) => string)
  ? Texts
  : { readonly [Name in keyof Texts as string extends Name ? never : Name]: Translation<Texts[Name]> }
