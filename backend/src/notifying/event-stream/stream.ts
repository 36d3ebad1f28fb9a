import { Readable } from 'node:stream'
import type { LiveEvent, LiveEventList } from '@vedette/shared'
import type { Clock } from '../../platform/time/clock.ts'
import { limitKeyOf, type Principal, tenantOf } from '../../access/auth/index.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Feed, Subscription } from './feed.ts'
import { isVisible, toEvent } from './service.ts'
import type { EventRow } from './store.ts'

export interface Streams {
  /** A stream of events, from the end of the backlog on. Throws rate_limited or unavailable where too many are open. */
  open(options: StreamOptions): Promise<Readable>
  /** Ends all of them. */
  close(): void
}

export interface StreamOptions {
  principal: Principal
  backlog: () => Promise<LiveEventList>
}

/** Proxies close connections that are silent for a minute. */
const HEARTBEAT_EVERY_MS = 15_000
/** Open streams of one instance. Of a user all sessions count together: the page opens one in each tab. */
const MAX_STREAMS = { ofCredential: 20, ofOrganization: 200, ofInstance: 1_000 }
/** Six tries a minute leave most of the limit of requests to the client. */
const RETRY_AFTER_SECONDS = 10
/** A client that reads more slowly is disconnected, and continues with `Last-Event-ID`. */
const MAX_BUFFERED_BYTES = 1_048_576

/** One frame of Server-Sent Events (https://html.spec.whatwg.org/multipage/server-sent-events.html); JSON has no line breaks. */
const frame = (type: string, data: object, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`

interface OpenStream {
  credential: string
  organization: number
}

export function createStreams({ feed, clock }: { feed: Feed; clock: Clock }): Streams {
  const open = new Map<() => void, OpenStream>()

  async function start({ principal, backlog }: StreamOptions, stream: Readable, signal: AbortSignal, end: () => void) {
    const sent = new Set<string>()
    let queued: EventRow[] | undefined = []
    const write = (text: string) => {
      if (signal.aborted) return
      stream.push(text)
      if (stream.readableLength > MAX_BUFFERED_BYTES) stream.destroy()
    }
    const send = (event: LiveEvent) => {
      if (!isVisible(subscription.principal, event) || sent.has(event.id)) return
      if (queued) sent.add(event.id)
      write(frame(event.type, event, event.id))
    }
    const deliver = (row: EventRow) => void (queued ? queued.push(row) : send(toEvent(row)))
    const subscription: Subscription = { principal, deliver, end }
    // Before the backlog is read, so that no event is missed between the two.
    const unsubscribe = await feed.subscribe(subscription)
    signal.addEventListener('abort', unsubscribe)
    if (signal.aborted) unsubscribe()
    const { events, is_complete: isComplete } = await backlog()
    // After the backlog was read: it may hold events that were stored after this request was authorized.
    await feed.reauthorize(subscription)
    write(': vedette\nretry: 2000\n\n')
    if (!isComplete) write(frame('stream.gap', { message: 'Events are missing: reload the current state.' }))
    for (const event of events) send(event)
    for (const row of queued) send(toEvent(row))
    queued = undefined
    void sendHeartbeats(signal, write)
  }

  async function sendHeartbeats(signal: AbortSignal, write: (text: string) => void): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(HEARTBEAT_EVERY_MS, signal)
      write(': heartbeat\n\n')
    }
  }

  return {
    open: async (options) => {
      const opened = { credential: limitKeyOf(options.principal), organization: tenantOf(options.principal).number }
      refuseTooMany([...open.values()], opened, clock.now())
      const stream = new Readable({ read: () => undefined, highWaterMark: MAX_BUFFERED_BYTES * 2 })
      const closing = new AbortController()
      const end = () => {
        if (!closing.signal.aborted) stream.push(null)
        closing.abort()
      }
      open.set(end, opened)
      stream.once('close', () => {
        closing.abort()
        open.delete(end)
      })
      try {
        await start(options, stream, closing.signal, end)
      } catch (error) {
        stream.destroy()
        throw error
      }
      return stream
    },
    close: () => {
      for (const end of open.keys()) end()
    },
  }
}

/** Throws rate_limited or unavailable where a further one of the same caller would be too many. */
function refuseTooMany(opened: readonly OpenStream[], { credential, organization }: OpenStream, nowMs: number): void {
  const refuse = (code: 'rate_limited' | 'unavailable', max: number, per: string) => {
    const message = `At most ${max} live streams per ${per} may be open. Close one, or try again in ${RETRY_AFTER_SECONDS} s.`
    const limit = { max, resetAtSeconds: Math.ceil(nowMs / 1000) + RETRY_AFTER_SECONDS }
    return new ApiError(code, message, { retryAfterSeconds: RETRY_AFTER_SECONDS, limit })
  }
  const { ofCredential, ofOrganization, ofInstance } = MAX_STREAMS
  if (opened.filter((stream) => stream.credential === credential).length >= ofCredential)
    throw refuse('rate_limited', ofCredential, 'credential')
  if (opened.filter((stream) => stream.organization === organization).length >= ofOrganization)
    throw refuse('rate_limited', ofOrganization, 'organization')
  if (opened.length >= ofInstance) throw refuse('unavailable', ofInstance, 'instance')
}
