import type { Frame } from './event-frames.ts'
import { GAP, type StreamPosition } from './event-stream.ts'

// All tabs of a session follow one stream, because a browser has six connections to a host. The tab that holds a lock leads: it reads
// the stream and passes on what comes. When it ends, the browser gives the lock to another tab, which continues after the last event
// that it was passed. Each tab listens from its start, so that it misses nothing meanwhile.

/** What follows from a stream. */
export interface EventHooks {
  onEvent(frame: Frame): void
  /** True while a stream is connected. */
  onConnectionChange(isOpen: boolean): void
}

type Message =
  | { type: 'event'; frame: Frame }
  | { type: 'connection'; isOpen: boolean }
  /** A tab that begins to listen. */
  | { type: 'join' }
  /** The answer of the one that leads. */
  | { type: 'position'; lastEventId: string | undefined; isOpen: boolean }

/** The environment; tests replace it. */
export interface SharingDeps {
  /** Reaches the other tabs. */
  channel: { postMessage(message: unknown): void; addEventListener: BroadcastChannel['addEventListener'] }
  /** Runs the work while no other tab does; resolves after it, or when the signal aborts before. */
  lead(work: () => Promise<void>, signal: AbortSignal): Promise<void>
  /** Reads the stream until the signal aborts. */
  follow(hooks: EventHooks, position: StreamPosition, signal: AbortSignal): Promise<void>
}

/** Reports the events of the stream that the tabs share, until the signal aborts. */
export async function shareEvents(
  { channel, lead, follow }: SharingDeps,
  position: StreamPosition,
  hooks: EventHooks,
  signal: AbortSignal,
): Promise<void> {
  let [isLeading, isOpen, isAway] = [false, false, position.hasConnected]
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches one origin only
  const send = (message: Message) => channel.postMessage(message)

  /** Compares what was passed on with what arrived here. */
  function meet(lastEventId: string | undefined): void {
    const isSame = lastEventId === position.lastEventId && (lastEventId !== undefined || !isAway)
    const hasMissed = position.hasConnected && !isSame
    Object.assign(position, { lastEventId, hasConnected: true })
    isAway = false
    if (hasMissed) hooks.onEvent(GAP)
  }

  const hear = ({ data }: MessageEvent<Message>) => {
    if (isLeading) {
      if (data.type === 'join') send({ type: 'position', lastEventId: position.lastEventId, isOpen })
      return
    }
    if (data.type === 'event') {
      // The position comes first after an absence, and says whether something was missed.
      if (!isAway) position.lastEventId = data.frame.id ?? position.lastEventId
      hooks.onEvent(data.frame)
    }
    if (data.type === 'position') meet(data.lastEventId)
    // Nobody led when it joined.
    if (data.type === 'connection' && isAway) send({ type: 'join' })
    if (data.type === 'position' || data.type === 'connection') hooks.onConnectionChange(data.isOpen)
  }
  channel.addEventListener('message', hear, { signal })
  send({ type: 'join' })
  const leadHooks: EventHooks = {
    onEvent: (frame) => {
      send({ type: 'event', frame })
      hooks.onEvent(frame)
    },
    onConnectionChange: (next) => {
      // The one that follows says whether it can connect.
      if (!signal.aborted && next !== isOpen) send({ type: 'connection', isOpen: next })
      isOpen = next
      hooks.onConnectionChange(next)
    },
  }
  await lead(() => {
    isLeading = true
    return follow(leadHooks, position, signal)
  }, signal)
}
