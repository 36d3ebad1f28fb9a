import { Readable } from 'node:stream'
import type { LiveEventList } from '@vedette/shared'
import type { Clock } from '../platform/clock.ts'
import type { Feed } from './feed.ts'
import { type Audible, isHeard, toEvent } from './service.ts'
import type { EventRow } from './store.ts'

export interface Streams {
  /** A stream of what happens, from what the backlog ends with; undefined where there are too many. */
  open(options: StreamOptions): Promise<Readable | undefined>
  /** Ends all of them. */
  close(): void
}

export interface StreamOptions {
  organization: number
  audible: Audible
  backlog: () => Promise<LiveEventList>
  /** Whether whoever listens may still. */
  isLetIn: () => Promise<boolean>
}

/** A proxy that hears nothing for a minute cuts; and so soon is known that somebody may listen no more. */
const BEAT_EVERY_MS = 15_000
const MAX_STREAMS = 1_000
/** Who reads so slowly goes on by `Last-Event-ID`. */
const MAX_WAITING_BYTES = 1_048_576

/** One frame of Server-Sent Events (https://html.spec.whatwg.org/multipage/server-sent-events.html); JSON has no line breaks. */
const frame = (type: string, data: object, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`

export function createStreams({ feed, clock }: { feed: Feed; clock: Clock }): Streams {
  const open = new Set<Readable>()

  async function start({ organization, audible, backlog, isLetIn }: StreamOptions, stream: Readable): Promise<void> {
    const sent = new Set<string>()
    let waiting: EventRow[] | undefined = []
    const write = (text: string) => {
      if (stream.destroyed) return
      stream.push(text)
      if (stream.readableLength > MAX_WAITING_BYTES) stream.destroy()
    }
    const tell = (row: EventRow) => {
      const event = toEvent(row)
      if (isHeard(audible, row) && !sent.has(event.id)) write(frame(event.type, event, event.id))
    }
    // Before the backlog is read, so that nothing falls between the two.
    const stop = await feed.listen(organization, (row) => (waiting ? waiting.push(row) : tell(row)))
    stream.once('close', stop)
    const { events, is_complete: isComplete } = await backlog()
    write(': vedette\nretry: 2000\n\n')
    if (!isComplete) write(frame('stream.gap', { message: 'events are missing: read anew what is shown' }))
    for (const event of events) {
      sent.add(event.id)
      write(frame(event.type, event, event.id))
    }
    for (const row of waiting) tell(row)
    waiting = undefined
    void beat(stream, isLetIn, write)
  }

  async function beat(stream: Readable, isLetIn: () => Promise<boolean>, write: (text: string) => void): Promise<void> {
    const ending = new AbortController()
    stream.once('close', () => ending.abort())
    while (!stream.destroyed) {
      await clock.sleep(BEAT_EVERY_MS, ending.signal)
      if (stream.destroyed) return
      if (await isLetIn()) write(': still here\n\n')
      else stream.push(null)
    }
  }

  return {
    open: async (options) => {
      if (open.size >= MAX_STREAMS) return undefined
      const stream = new Readable({ read: () => undefined, highWaterMark: MAX_WAITING_BYTES * 2 })
      open.add(stream)
      stream.once('close', () => open.delete(stream))
      try {
        await start(options, stream)
      } catch (error) {
        stream.destroy()
        throw error
      }
      return stream
    },
    close: () => {
      for (const stream of open) stream.push(null)
    },
  }
}
