import type { Credentials } from '@vedette/client'

/** For this tab: it is gone with it. Why here and not in a cookie or for ever: docs/architecture.md, "The page". */
const KEY = 'vedette-token'
/** Tabs of one origin hand the session to a new one, so that it need not be kept for ever for that. */
const CHANNEL = 'vedette-session'
/** An open tab answers within a few milliseconds; without one nobody should wait. */
const NEIGHBOUR_MS = 120

type Message = { type: 'wanted' } | { type: 'given'; token: string } | { type: 'ended' }

/** Who is signed in. Kept in memory, and over a reload where the browser keeps anything. */
export interface SignedIn {
  credentials(): Credentials | undefined
  begin(token: string): void
  /** Also in every other tab. */
  end(): void
  /** Called when another tab ended the session. */
  onEnd(listener: () => void): void
}

/** The session of this tab, else that of another tab of the same browser. */
export async function findSession(): Promise<SignedIn> {
  let token = stored(() => sessionStorage.getItem(KEY)) ?? undefined
  let ended: () => void = () => undefined
  const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(CHANNEL)
  const keep = (given: string | undefined) => {
    token = given
    stored(() => (given === undefined ? sessionStorage.removeItem(KEY) : sessionStorage.setItem(KEY, given)))
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches one origin only
  const say = (message: Message) => channel?.postMessage(message)

  if (channel && token === undefined) {
    const given = await askNeighbours(channel)
    if (given !== undefined) keep(given)
  }
  channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.type === 'wanted' && token !== undefined) say({ type: 'given', token })
    if (data.type !== 'ended' || token === undefined) return
    keep(undefined)
    ended()
  })
  return {
    credentials: () => (token === undefined ? undefined : { token }),
    begin: keep,
    end: () => {
      keep(undefined)
      say({ type: 'ended' })
    },
    onEnd: (listener) => {
      ended = listener
    },
  }
}

function askNeighbours(channel: BroadcastChannel): Promise<string | undefined> {
  return new Promise((resolve) => {
    const done = (token: string | undefined) => {
      clearTimeout(timer)
      channel.removeEventListener('message', hear)
      resolve(token)
    }
    const hear = ({ data }: MessageEvent<Message>) => {
      if (data.type === 'given') done(data.token)
    }
    const timer = setTimeout(() => done(undefined), NEIGHBOUR_MS)
    channel.addEventListener('message', hear)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches one origin only
    channel.postMessage({ type: 'wanted' } satisfies Message)
  })
}

/** Undefined where the browser is set to keep nothing: then it throws at every touch. */
function stored<T>(touch: () => T): T | undefined {
  try {
    return touch()
  } catch {
    return undefined // the session lives until the reload
  }
}
