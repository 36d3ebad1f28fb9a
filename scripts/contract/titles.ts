import { ID } from './requirements.ts'

const LIST = new RegExp(`\\[(${ID.source}(?:, ${ID.source})*)\\]$`)
/** Looks like an id, but has the wrong case, too few digits or text after it. */
const ALMOST = /\[[A-Za-z]{2,}-\d+\b/

/** The ids at the end of a title: `the old token is refused at once [SERVER-11, AUTH-23]`. */
export function idsOf(title: string): string[] {
  return LIST.exec(title)?.[1]?.split(', ') ?? []
}

/** Whether a title contains something that looks like an id and is none. */
export function isMistagged(title: string): boolean {
  return ALMOST.test(title.replace(LIST, ''))
}
