import { createFrameReader, type Frame } from './event-frames.ts'

/** The environment of a stream; tests replace it. */
export interface EventStreamDeps {
  /** Requests the stream after an event; without one, from now on. */
  open(lastEventId: string | undefined, signal: AbortSignal): Promise<Response>
  /** `stream.gap`: events were missed, and everything on display has to be read again. */
  onEvent(frame: Frame): void
  /** True while a stream is connected. */
  onConnectionChange(isOpen: boolean): void
  /** The session has ended or was refused. */
  onUnauthorized(): void
  sleep(ms: number, signal: AbortSignal): Promise<void>
  random(): number
  /** A monotonic clock, ms. */
  now(): number
}

/** A silent connection counts as broken after this; the backend sends something every 15 s. */
const IDLE_TIMEOUT_MS = 40_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000
/** A stream that ends sooner counts as failed; otherwise a proxy that cuts streams would get a request per second. */
const STABLE_MS = 10_000
/** Events were missed. */
export const GAP: Frame = { id: undefined, type: 'stream.gap', data: '' }

/** Where the next connection continues. */
export interface StreamPosition {
  lastEventId: string | undefined
  /** True after the first connection: without a last event, a gap has to be reported then. */
  hasConnected: boolean
}

/** Reads events until the signal aborts, and reconnects with growing waits. */
export async function followEvents(deps: EventStreamDeps, position: StreamPosition, signal: AbortSignal): Promise<void> {
  let waitMs = FIRST_WAIT_MS
  while (!signal.aborted) {
    let retryAfterMs = 0
    try {
      const response = await deps.open(position.lastEventId, signal)
      if (response.ok && response.body) {
        const startedAt = deps.now()
        await readEvents(deps, position, response.body, signal)
        if (deps.now() - startedAt >= STABLE_MS) waitMs = FIRST_WAIT_MS
      } else {
        retryAfterMs = Number(response.headers.get('retry-after') ?? 0) * 1_000
        await response.body?.cancel()
        if (response.status === 401 || response.status === 403) deps.onUnauthorized()
      }
    } catch {
      // No response, or one that broke off: reconnect in both cases.
    }
    deps.onConnectionChange(false)
    if (signal.aborted) return
    await deps.sleep(Math.max(retryAfterMs, waitMs * (0.5 + deps.random())), signal)
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
  }
}

async function readEvents(
  deps: EventStreamDeps,
  position: StreamPosition,
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const reader = body.getReader()
  const read = createFrameReader()
  const decoder = new TextDecoder()
  if (position.hasConnected && position.lastEventId === undefined) deps.onEvent(GAP)
  position.hasConnected = true
  for (;;) {
    const piece = await readOrTimeOut(reader, signal)
    if (!piece) return
    // Only after the first piece, since a proxy may buffer the response.
    deps.onConnectionChange(true)
    for (const frame of read(decoder.decode(piece, { stream: true }))) {
      position.lastEventId = frame.id ?? position.lastEventId
      deps.onEvent(frame)
    }
  }
}

/** The next piece; undefined when the stream has ended or timed out. */
async function readOrTimeOut(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const cancel = () => void reader.cancel().catch(() => undefined)
  const timer = setTimeout(cancel, IDLE_TIMEOUT_MS)
  signal.addEventListener('abort', cancel, { once: true })
  try {
    return (await reader.read()).value
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', cancel)
  }
}
