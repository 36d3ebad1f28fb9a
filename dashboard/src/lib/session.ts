import { type Client, createClient, type Credentials, VedetteError } from '@vedette/client'
import { isWallOpen } from './wall-state.ts'

/** In the storage of the tab. docs/internals/dashboard.md explains why not in a cookie. */
const KEY = 'vedette-token'
/** In the storage of the browser: this device stays signed in, so that a refresh is worth a request. Not a secret. */
const REMEMBERED_KEY = 'vedette-remembered'
/** Open tabs hand their session to a new tab over this channel. */
const CHANNEL = 'vedette-session'
/** Open tabs answer within a few milliseconds; a busy one answers later: see `onBegin`. */
const OTHER_TAB_MS = 120
/** How long before its end a token is renewed: longer than any request takes, and than most interruptions. */
const RENEW_BEFORE_MS = 5 * 60_000
/** A browser whose clock is wrong would take every token for an old one. */
const RENEW_PAUSE_MS = 60_000

type Message =
  | { type: 'request' }
  | { type: 'offer'; token: string }
  | { type: 'renewed'; before: string; token: string }
  | { type: 'ended' }

/** The session token, in memory and in the storage of the tab. */
export interface SessionStore {
  credentials(): Credentials | undefined
  /** Stays with the token's renewal; undefined without a session. */
  id(): string | undefined
  /** For a request: renewed first if they are about to end. */
  currentCredentials(): Promise<Credentials | undefined>
  begin(token: string, isRemembered: boolean): void
  /** Whether this device stays signed in. */
  isRemembered(): boolean
  /** Gets a new token by the cookie of a device that stays signed in. False where that is over; throws where it cannot be known. */
  renew(): Promise<boolean>
  /** Ends the session in all tabs. */
  end(): void
  /** Called when another tab ended the session. */
  onEnd(listener: () => void): void
  /** Called when another tab handed over its session after the start. */
  onBegin(listener: () => void): void
}

/** The session of this tab, else that of another tab of the same browser. `client` is for tests. */
export async function restoreSession(client: Refresher = createClient({ baseUrl: location.origin })): Promise<SessionStore> {
  let token = stored(() => sessionStorage.getItem(KEY)) ?? undefined
  let ended: () => void = () => undefined
  let begun: () => void = () => undefined
  const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(CHANNEL)
  const store = (next: string | undefined) => {
    token = next
    stored(() => (next === undefined ? sessionStorage.removeItem(KEY) : sessionStorage.setItem(KEY, next)))
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches one origin only
  const send = (message: Message) => channel?.postMessage(message)

  const { refresh, renew, settle } = createRenewal(
    client,
    () => token,
    (next, before) => {
      store(next)
      if (before !== undefined) send({ type: 'renewed', before, token: next })
    },
  )

  // The identity provider may have signed in another user than the one of this tab, or of others.
  if (globalThis.location?.hash === '#signed-in') {
    history.replaceState(null, '', location.pathname)
    const before = token
    store(undefined)
    setRemembered(true)
    if (!(await refresh().catch(() => false))) store(before)
  }
  // A tab that the browser restored may have an old one.
  if (channel && (token === undefined || isDue(token))) {
    const offered = await requestFromOtherTabs(channel)
    if (offered !== undefined) store(offered)
  }
  channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.type === 'request' && token !== undefined) send({ type: 'offer', token })
    if (data.type === 'renewed' && data.before === token) store(data.token)
    if (data.type === 'offer' && token === undefined) {
      store(data.token)
      begun()
    }
    if (data.type !== 'ended' || token === undefined) return
    store(undefined)
    ended()
  })

  const credentials = () => (token === undefined ? undefined : { token })
  return {
    credentials,
    id: () => (token === undefined ? undefined : claimsOf(token)?.jti),
    currentCredentials: async () => {
      await settle()
      return credentials()
    },
    begin: (next, isRemembered) => {
      store(next)
      setRemembered(isRemembered)
    },
    isRemembered,
    renew,
    end: () => {
      store(undefined)
      setRemembered(false)
      send({ type: 'ended' })
    },
    onEnd: (listener) => {
      ended = listener
    },
    onBegin: (listener) => {
      begun = listener
    },
  }
}

interface Refresher {
  auth: Pick<Client['auth'], 'refresh'>
}

/** Gets new tokens, one at a time. */
function createRenewal(
  client: Refresher,
  token: () => string | undefined,
  renewed: (next: string, before: string | undefined) => void,
) {
  let renewing: Promise<boolean> | undefined
  let renewedAt = Number.NEGATIVE_INFINITY

  async function refresh(): Promise<boolean> {
    const before = token()
    try {
      const { token: next } = await client.auth.refresh(isWallOpen() ? { wall: true } : {})
      // Somebody may have signed in or out meanwhile.
      if (token() !== before) return token() !== undefined
      renewed(next, before)
      return true
    } catch (error) {
      if (!(error instanceof VedetteError) || (error.status !== 401 && error.status !== 403)) throw error
      setRemembered(false)
      return false
    }
  }

  async function renew(): Promise<boolean> {
    if (!isRemembered()) return false
    renewedAt = performance.now()
    renewing ??= refresh().finally(() => {
      renewing = undefined
    })
    return renewing
  }

  /** Renews a token that is about to end. A failure is left to the request, for which the token may still be good. */
  async function settle(): Promise<void> {
    const current = token()
    const isTime = current !== undefined && isDue(current) && performance.now() - renewedAt >= RENEW_PAUSE_MS
    await (isTime ? renew() : renewing)?.catch(() => false)
  }

  return { refresh, renew, settle }
}

const isRemembered = () => stored(() => localStorage.getItem(REMEMBERED_KEY)) === 'yes'

function setRemembered(isRemembered: boolean): void {
  stored(() => (isRemembered ? localStorage.setItem(REMEMBERED_KEY, 'yes') : localStorage.removeItem(REMEMBERED_KEY)))
}

/** Whether a token ends soon, or has ended; false for a text that is none. */
function isDue(token: string): boolean {
  const claims = claimsOf(token)
  return claims !== undefined && claims.exp * 1000 - Date.now() < RENEW_BEFORE_MS
}

/** When a token ends, in seconds, and the id of its session; undefined for a text that is none. */
function claimsOf(token: string): { exp: number; jti?: string } | undefined {
  try {
    return JSON.parse(atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'))) as { exp: number }
  } catch {
    return undefined
  }
}

function requestFromOtherTabs(channel: BroadcastChannel): Promise<string | undefined> {
  return new Promise((resolve) => {
    const done = (token: string | undefined) => {
      clearTimeout(timer)
      channel.removeEventListener('message', hear)
      resolve(token)
    }
    const hear = ({ data }: MessageEvent<Message>) => {
      if (data.type === 'offer') done(data.token)
    }
    const timer = setTimeout(() => done(undefined), OTHER_TAB_MS)
    channel.addEventListener('message', hear)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches one origin only
    channel.postMessage({ type: 'request' } satisfies Message)
  })
}

/** Undefined where the browser denies access to its storage. */
export function stored<T>(touch: () => T): T | undefined {
  try {
    return touch()
  } catch {
    return undefined // the session lives until the reload
  }
}
