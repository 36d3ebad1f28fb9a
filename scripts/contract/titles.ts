import { ID } from './requirements.ts'

const LIST = new RegExp(`\\[(${ID.source}(?:, ${ID.source})*)\\]$`)
/** What was meant as ids: in the wrong case, with too few digits, with more behind it. */
const ALMOST = /\[[A-Za-z]{2,}-\d+\b/

/** The ids at the end of a title: `the old token is refused at once [SERVER-11, AUTH-23]`. */
export function idsOf(title: string): string[] {
  return LIST.exec(title)?.[1]?.split(', ') ?? []
}

/** Whether a title looks like one that names ids, and does not. */
export function isMistagged(title: string): boolean {
  return ALMOST.test(title.replace(LIST, ''))
}
