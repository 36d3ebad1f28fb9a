import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { toastProblem } from '../components/toast.tsx'
import { useViewer } from '../lib/api.ts'
import type { Frame } from '../lib/event-frames.ts'
import { createBatcher } from '../lib/batcher.ts'
import { followEvents, type StreamPosition } from '../lib/event-stream.ts'
import { setLive } from '../lib/live-state.ts'
import { affectedQueries } from '../lib/affected-queries.ts'
import { messages } from '../messages/index.ts'
import { ConnectionBar } from './connection-bar.tsx'

/** The least time between two refreshes: 15 a minute of four views are 60 of the 100 reads of the rate limit. */
const REFRESH_MS = 4_000
/** A hidden tab closes its stream after this: a browser holds six HTTP/1.1 connections to an origin, and each stream takes one. */
const HIDDEN_MS = 15_000

/** Refreshes the page from one event stream while the tab is visible, and says when the backend cannot be reached. */
export function LiveUpdates({ headers }: { headers: () => Promise<Record<string, string>> }) {
  const queries = useQueryClient()
  const [isBroken, setBroken] = useState(false)
  const { client, organizationId } = useViewer()
  useEffect(() => {
    const position: StreamPosition = { lastEventId: undefined, hasConnected: false }
    const batcher = createBatcher<Frame>(REFRESH_MS, (frames) => refresh(queries, organizationId, frames))
    const listen = (signal: AbortSignal) =>
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
          onEvent: (frame) => {
            notifyOfProblem(frame)
            batcher.add(frame)
          },
          onConnectionChange: (isOpen) => {
            setLive(isOpen)
            setBroken(!isOpen)
          },
          // This request fails as well, and the client then ends the session.
          onUnauthorized: () => void client.me.read().catch(() => undefined),
          sleep,
          random: Math.random,
          now: () => performance.now(),
        },
        position,
        signal,
      )
    const stop = whileVisible(listen)
    return () => {
      stop()
      batcher.stop()
      setLive(false)
    }
  }, [queries, organizationId, client, headers])
  return isBroken ? <ConnectionBar /> : null
}

/** Runs `work` while the tab is visible and for HIDDEN_MS after that; starts it again when the tab is shown again. */
function whileVisible(work: (signal: AbortSignal) => Promise<void>): () => void {
  let ending: AbortController | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = () => {
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
  update()
  return () => {
    document.removeEventListener('visibilitychange', update)
    clearTimeout(timer)
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
