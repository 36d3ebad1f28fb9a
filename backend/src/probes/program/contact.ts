import type { Answer } from './client.ts'

/** Tells the person at the terminal when the backend comes and goes; once each, not with every request. */
export interface Contact {
  note(answer: Answer<unknown>): void
  /** Whether the token is known, as far as was heard. */
  isKnown(): boolean
}

export function createContact(url: string, tokenFile: string, announce: (line: string) => void): Contact {
  let state: Answer<unknown>['kind'] | undefined

  return {
    note: (answer) => {
      const kind = answer.kind === 'refused' ? 'done' : answer.kind
      if (kind === state) return
      state = kind
      if (answer.kind === 'done' || answer.kind === 'refused') announce(`backend    ${url} answers`)
      else if (answer.kind === 'away') announce(`backend    ${url} is away: ${answer.message}; results are kept`)
      else
        announce(`token      refused: ${answer.message} A new one in ${tokenFile} is looked for every minute; results are kept`)
    },
    isKnown: () => state !== 'unknown',
  }
}
