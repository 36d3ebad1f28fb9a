import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { toast } from '../components/toast.tsx'
import { useScope, useViewer } from '../lib/api.ts'
import type { Frame } from '../lib/event-frames.ts'
import { gather } from '../lib/gather.ts'
import { follow, type Place } from '../lib/live.ts'
import { setLive } from '../lib/live-state.ts'
import { touchedBy } from '../lib/touched.ts'
import { text } from '../messages/index.ts'

/** Views are read again at most so often, whatever happens: four of them fifteen times a minute are 60 of 100 reads. */
const PAUSE_MS = 4_000
/** A browser holds six connections to a place over HTTP/1.1, and each tab in sight needs one: those out of sight let go of theirs. */
const HIDDEN_MS = 15_000

/** Keeps the page up to date by one stream of events, as long as somebody looks at it. */
export function Live({ headers }: { headers: () => Record<string, string> }) {
  const queries = useQueryClient()
  const scope = useScope()
  const { client } = useViewer()
  useEffect(() => {
    const place: Place = { id: undefined, hasListened: false }
    const changes = gather<Frame>(PAUSE_MS, (frames) => refresh(queries, scope, frames))
    const listen = (signal: AbortSignal) =>
      follow(
        {
          open: (lastEventId, ending) =>
            fetch(`${location.origin}/v1/events`, {
              headers: {
                ...headers(),
                Accept: 'text/event-stream',
                'X-Organization-Id': scope,
                ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }),
              },
              cache: 'no-store',
              signal: ending,
            }),
          hear: (frame) => {
            tellAloud(frame)
            changes.add(frame)
          },
          tell: setLive,
          // The client knows what to do for who is not let in, and asks as anything else does.
          refused: () => void client.me.read().catch(() => undefined),
          sleep,
          random: Math.random,
          now: () => performance.now(),
        },
        place,
        signal,
      )
    const stop = whileSeen(listen)
    return () => {
      stop()
      changes.stop()
      setLive(false)
    }
  }, [queries, scope, client, headers])
  return null
}

/** Runs while the tab is in sight, and some seconds longer; then again when it comes back. */
function whileSeen(work: (signal: AbortSignal) => Promise<void>): () => void {
  let ending: AbortController | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = () => {
    ending?.abort()
    ending = undefined
  }
  const look = () => {
    clearTimeout(timer)
    if (document.visibilityState === 'hidden') {
      timer = setTimeout(end, HIDDEN_MS)
      return
    }
    if (ending) return
    ending = new AbortController()
    void work(ending.signal)
  }
  document.addEventListener('visibilitychange', look)
  look()
  return () => {
    document.removeEventListener('visibilitychange', look)
    clearTimeout(timer)
    end()
  }
}

function refresh(queries: QueryClient, scope: string, frames: readonly Frame[]): void {
  // What somebody may is part of who they are.
  if (frames.some(({ type }) => type.startsWith('member.'))) void queries.invalidateQueries({ queryKey: ['me'] })
  const touched = frames.map((frame) => touchedBy(frame.type, dataOf(frame)))
  if (touched.includes(undefined)) {
    void queries.invalidateQueries({ queryKey: [scope] })
    return
  }
  const each = new Map(touched.flatMap((some) => some ?? []).map((one) => [one.key.join(' '), one]))
  for (const { key, isExact } of each.values())
    void queries.invalidateQueries({ queryKey: [scope, ...key], exact: isExact === true })
}

/** The installation itself is behind: who runs it should hear of it on any page. */
function tellAloud(frame: Frame): void {
  if (frame.type !== 'vedette.unwell') return
  const problem = dataOf(frame)['problem'] as { message?: unknown } | undefined
  if (typeof problem?.message === 'string') toast(text.live.unwell(problem.message), 'bad')
}

function dataOf({ data }: Frame): Record<string, unknown> {
  try {
    return (JSON.parse(data) as { data?: Record<string, unknown> }).data ?? {}
  } catch {
    return {} // a gap has none
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    signal.addEventListener('abort', end, { once: true })
  })
}
