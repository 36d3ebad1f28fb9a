import { en } from './en.ts'

/** A language is a file like en.ts: the compiler holds it to the same names. */
export type Messages = typeof en

export const messages: Messages = en
