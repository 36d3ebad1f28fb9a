import { stored } from './session.ts'

/** In the storage of the tab: it ends with the tab and survives a reload. */
const KEY = 'vedette-enrollment'

export interface KeptToken {
  /** Its person and organization. */
  owner: string
  id: string
  token: string
  /** By the clock of the backend: a server that registers later used the token. */
  createdAtMs: number
  /** By the clock of the browser. */
  endsAtMs: number
}

/** The token that this tab keeps. One of another owner, or one that has ended, is deleted. */
export function keptToken(owner: string, nowMs: number): KeptToken | undefined {
  const kept = stored(() => JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as KeptToken | null)
  if (kept?.owner === owner && nowMs < kept.endsAtMs) return kept
  dropToken()
  return undefined
}

export const keepToken = (token: KeptToken): void => stored(() => sessionStorage.setItem(KEY, JSON.stringify(token)))

export const dropToken = (): void => stored(() => sessionStorage.removeItem(KEY))
