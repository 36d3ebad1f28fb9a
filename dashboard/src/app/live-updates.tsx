import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { toastProblem } from '../components/toast.tsx'
import { useViewer } from '../lib/api.ts'
import type { Frame } from '../lib/event-frames.ts'
import { createBatcher } from '../lib/batcher.ts'
import { followEvents, type StreamPosition } from '../lib/event-stream.ts'
import { setLive } from '../lib/live-state.ts'
import { type EventHooks, shareEvents, type SharingDeps } from '../lib/shared-events.ts'
import { affectedQueries } from '../lib/affected-queries.ts'
import { messages } from '../messages/index.ts'
import { ConnectionBar } from './connection-bar.tsx'

/** The least time between two refreshes, and while events keep coming: an outage re-reads a list five times a minute. */
const REFRESH_MS = [4_000, 8_000, 12_000] as const
/** A hidden tab ends its stream after this, or leaves it to another tab: a browser slows the timers of hidden tabs down. */
const HIDDEN_MS = 15_000

interface Props {
  sessionId: () => string | undefined
}

/** Refreshes the page from the event stream while the tab is visible, and says when the backend cannot be reached. */
export function LiveUpdates({ sessionId }: Props) {
  const queries = useQueryClient()
  const [isBroken, setBroken] = useState(false)
  const { client, organizationId, headers } = useViewer()
  useEffect(() => {
    const position: StreamPosition = { lastEventId: undefined, hasConnected: false }
    const batcher = createBatcher<Frame>(REFRESH_MS, (frames) => refresh(queries, organizationId, frames))
    const hooks: EventHooks = {
      onEvent: (frame) => {
        notifyOfProblem(frame)
        batcher.add(frame)
      },
      onConnectionChange: setLive,
    }
    const follow = ({ onEvent, onConnectionChange }: EventHooks, from: StreamPosition, signal: AbortSignal) =>
      followEvents(
        {
          open: async (lastEventId, ending) =>
            fetch(`${location.origin}/v1/events`, {
              headers: {
                ...(await headers()),
                Accept: 'text/event-stream',
                'X-Organization-Id': organizationId,
                ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }),
              },
              cache: 'no-store',
              signal: ending,
            }),
          onEvent,
          onConnectionChange,
          // This request fails as well, and the client then ends the session.
          onUnauthorized: () => void client.me.read().catch(() => undefined),
          sleep,
          random: Math.random,
          now: () => performance.now(),
        },
        from,
        signal,
      )
    const listen = (signal: AbortSignal) => {
      const own: EventHooks = {
        ...hooks,
        onConnectionChange: (isOpen) => {
          hooks.onConnectionChange(isOpen)
          setBroken(!isOpen && !signal.aborted)
        },
      }
      const id = sessionId()
      return id === undefined || !canShare()
        ? follow(own, position, signal)
        : shareInBrowser(`vedette-events ${id} ${organizationId}`, follow, position, own, signal)
    }
    const stop = whileShown(listen)
    return () => {
      stop()
      batcher.stop()
      setLive(false)
    }
  }, [queries, organizationId, client, headers, sessionId])
  return isBroken ? <ConnectionBar /> : null
}

/** Browsers offer locks to pages of HTTPS and of this host alone; elsewhere each tab has a stream of its own. */
const canShare = (): boolean => 'locks' in navigator && typeof BroadcastChannel !== 'undefined'

/** Shares a stream with the tabs that use the same name. */
async function shareInBrowser(
  name: string,
  follow: SharingDeps['follow'],
  position: StreamPosition,
  hooks: EventHooks,
  signal: AbortSignal,
): Promise<void> {
  const channel = new BroadcastChannel(name)
  // A page that is kept for the back button would be given up for a message.
  signal.addEventListener('abort', () => channel.close(), { once: true })
  const lead: SharingDeps['lead'] = (work, ending) =>
    navigator.locks.request(name, { signal: ending }, work).catch((error: unknown) => {
      if (!ending.aborted) throw error
    })
  await shareEvents({ channel, lead, follow }, position, hooks, signal)
}

/**
 * Runs `work` while the tab is visible and for HIDDEN_MS after that; starts it again when the tab is shown again. A page that the
 * browser keeps for the back button ends it at once: it would hold its connection.
 */
function whileShown(work: (signal: AbortSignal) => Promise<void>): () => void {
  let ending: AbortController | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = () => {
    clearTimeout(timer)
    ending?.abort()
    ending = undefined
  }
  const update = () => {
    clearTimeout(timer)
    if (document.visibilityState === 'hidden') {
      timer = setTimeout(end, HIDDEN_MS)
      return
    }
    if (ending) return
    ending = new AbortController()
    void work(ending.signal)
  }
  document.addEventListener('visibilitychange', update)
  addEventListener('pagehide', end)
  addEventListener('pageshow', update)
  update()
  return () => {
    document.removeEventListener('visibilitychange', update)
    removeEventListener('pagehide', end)
    removeEventListener('pageshow', update)
    end()
  }
}

function refresh(queries: QueryClient, organizationId: string, frames: readonly Frame[]): void {
  // Permissions are part of the user.
  if (frames.some(({ type }) => type.startsWith('member.'))) void queries.invalidateQueries({ queryKey: ['me'] })
  const affected = frames.map((frame) => affectedQueries(frame.type, dataOf(frame)))
  if (affected.includes(undefined)) {
    void queries.invalidateQueries({ queryKey: [organizationId] })
    return
  }
  const distinct = new Map(affected.flatMap((entries) => entries ?? []).map((entry) => [entry.key.join(' '), entry]))
  for (const { key, isExact } of distinct.values())
    void queries.invalidateQueries({ queryKey: [organizationId, ...key], exact: isExact === true })
}

/** Problems of the installation itself are shown on every page. */
function notifyOfProblem(frame: Frame): void {
  if (frame.type !== 'vedette.unwell') return
  const problem = dataOf(frame)['problem'] as { message?: unknown } | undefined
  if (typeof problem?.message === 'string') toastProblem(messages.live.unwell(problem.message))
}

function dataOf({ data }: Frame): Record<string, unknown> {
  try {
    return (JSON.parse(data) as { data?: Record<string, unknown> }).data ?? {}
  } catch {
    return {} // `stream.gap` has no data
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
