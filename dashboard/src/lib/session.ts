import type { Credentials } from '@vedette/client'

/** In the storage of the tab. docs/internals/dashboard.md explains why not in a cookie. */
const KEY = 'vedette-token'
/** Open tabs hand their session to a new tab over this channel. */
const CHANNEL = 'vedette-session'
/** Open tabs answer within a few milliseconds. */
const OTHER_TAB_MS = 120

type Message = { type: 'request' } | { type: 'offer'; token: string } | { type: 'ended' }

/** The session token, in memory and in the storage of the tab. */
export interface SessionStore {
  credentials(): Credentials | undefined
  begin(token: string): void
  /** Ends the session in all tabs. */
  end(): void
  /** Called when another tab ended the session. */
  onEnd(listener: () => void): void
}

/** The session of this tab, else that of another tab of the same browser. */
export async function restoreSession(): Promise<SessionStore> {
  let token = stored(() => sessionStorage.getItem(KEY)) ?? undefined
  let ended: () => void = () => undefined
  const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(CHANNEL)
  const store = (next: string | undefined) => {
    token = next
    stored(() => (next === undefined ? sessionStorage.removeItem(KEY) : sessionStorage.setItem(KEY, next)))
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches one origin only
  const send = (message: Message) => channel?.postMessage(message)

  if (channel && token === undefined) {
    const offered = await requestFromOtherTabs(channel)
    if (offered !== undefined) store(offered)
  }
  channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.type === 'request' && token !== undefined) send({ type: 'offer', token })
    if (data.type !== 'ended' || token === undefined) return
    store(undefined)
    ended()
  })
  return {
    credentials: () => (token === undefined ? undefined : { token }),
    begin: store,
    end: () => {
      store(undefined)
      send({ type: 'ended' })
    },
    onEnd: (listener) => {
      ended = listener
    },
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
function stored<T>(touch: () => T): T | undefined {
  try {
    return touch()
  } catch {
    return undefined // the session lives until the reload
  }
}
