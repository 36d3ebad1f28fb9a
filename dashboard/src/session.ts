import type { Credentials } from '@vedette/client'

/** For the tab alone: it is gone with it, and no other site can read it. A cookie would need protection against forgery. */
const KEY = 'vedette-token'

/** Who is signed in. Kept in memory, and over a reload where the browser keeps anything. */
export interface SignedIn {
  credentials(): Credentials | undefined
  begin(token: string): void
  end(): void
}

export function keepSession(): SignedIn {
  let token = stored(() => sessionStorage.getItem(KEY)) ?? undefined
  return {
    credentials: () => (token === undefined ? undefined : { token }),
    begin: (newToken) => {
      token = newToken
      stored(() => sessionStorage.setItem(KEY, newToken))
    },
    end: () => {
      token = undefined
      stored(() => sessionStorage.removeItem(KEY))
    },
  }
}

/** Undefined where the browser is set to keep nothing: then it throws at every touch. */
function stored<T>(touch: () => T): T | undefined {
  try {
    return touch()
  } catch {
    return undefined // the session lives until the reload
  }
}
