import type { ClientResult } from './client.ts'

/** Prints one line to the terminal whenever the connection to the backend changes. */
export interface Contact {
  record(answer: ClientResult<unknown>): void
  /** Whether the backend accepted the token, as far as is known. */
  isKnown(): boolean
}

export function createContact(url: string, tokenFile: string, announce: (line: string) => void): Contact {
  let state: ClientResult<unknown>['kind'] | undefined

  return {
    record: (answer) => {
      const kind = answer.kind === 'refused' ? 'done' : answer.kind
      if (kind === state) return
      state = kind
      if (answer.kind === 'done' || answer.kind === 'refused') announce(`backend    ${url} answers`)
      else if (answer.kind === 'away') announce(`backend    ${url} is unreachable: ${answer.message}; results are kept on disk`)
      else announce(`token      refused: ${answer.message} ${tokenFile} is read again every minute; results are kept on disk`)
    },
    isKnown: () => state !== 'unknown',
  }
}
