import { createFrameReader, type Frame } from './event-frames.ts'

/** What a stream needs of its surroundings. */
export interface LiveDeps {
  /** Asks for the stream from an event on; without one, from now on. */
  open(lastEventId: string | undefined, signal: AbortSignal): Promise<Response>
  /** `stream.gap`: something was missed, and what is shown has to be read anew. */
  hear(frame: Frame): void
  /** Whether a stream is open. */
  tell(isOpen: boolean): void
  /** Who asks is not let in (any more). */
  refused(): void
  sleep(ms: number, signal: AbortSignal): Promise<void>
  random(): number
  /** Of a clock that never goes back, ms. */
  now(): number
}

/** A connection that is gone without a word would be listened to for ever; the backend says something each 15 s. */
const SILENCE_MS = 40_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000
/** What ends sooner did not work: something between cuts it off, and would be asked sixty times a minute. */
const SOUND_MS = 10_000
const GAP: Frame = { id: undefined, type: 'stream.gap', data: '' }

/** Where a stream goes on, kept over its ends. */
export interface Place {
  id: string | undefined
  /** Whether somebody has listened before: what came meanwhile is known by the id, or has to be read anew. */
  hasListened: boolean
}

/** Listens until the signal ends it, over each end of the connection: at first soon again, then less and less often. */
export async function follow(deps: LiveDeps, place: Place, signal: AbortSignal): Promise<void> {
  let waitMs = FIRST_WAIT_MS
  while (!signal.aborted) {
    let retryAfterMs = 0
    try {
      const response = await deps.open(place.id, signal)
      if (response.ok && response.body) {
        const begin = deps.now()
        await listen(deps, place, response.body, signal)
        if (deps.now() - begin >= SOUND_MS) waitMs = FIRST_WAIT_MS
      } else {
        retryAfterMs = Number(response.headers.get('retry-after') ?? 0) * 1_000
        await response.body?.cancel()
        if (response.status === 401 || response.status === 403) deps.refused()
      }
    } catch {
      // No answer, or one that broke off: what is next to do is the same.
    }
    deps.tell(false)
    if (signal.aborted) return
    await deps.sleep(Math.max(retryAfterMs, waitMs * (0.5 + deps.random())), signal)
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
  }
}

async function listen(deps: LiveDeps, place: Place, body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void> {
  const reader = body.getReader()
  const read = createFrameReader()
  const decoder = new TextDecoder()
  if (place.hasListened && place.id === undefined) deps.hear(GAP)
  place.hasListened = true
  for (;;) {
    const piece = await orSilence(reader, signal)
    if (!piece) return
    // Not before something came: what stands between may hold back what has not ended.
    deps.tell(true)
    for (const frame of read(decoder.decode(piece, { stream: true }))) {
      place.id = frame.id ?? place.id
      deps.hear(frame)
    }
  }
}

/** The next piece; undefined when the stream ended, or nothing came for so long that it must have. */
async function orSilence(reader: ReadableStreamDefaultReader<Uint8Array>, signal: AbortSignal): Promise<Uint8Array | undefined> {
  const cancel = () => void reader.cancel().catch(() => undefined)
  const timer = setTimeout(cancel, SILENCE_MS)
  signal.addEventListener('abort', cancel, { once: true })
  try {
    return (await reader.read()).value
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', cancel)
  }
}
