import { useSyncExternalStore } from 'react'
import { ago, exact } from '../lib/time.ts'
import { usePreferences } from '../lib/preferences.ts'

/** One timer for all relative times of the page. */
const TICK_MS = 5_000
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  // The clock stops while nothing uses it.
  if (timer === undefined) now = Date.now()
  timer ??= setInterval(() => {
    now = Date.now()
    for (const each of listeners) each()
  }, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The current time to five seconds, ms. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

/** A text that follows from the current time. A row that shows one is rendered when the text changes, not every five seconds. */
export const useTextOfNow = (textAt: (nowMs: number) => string): string => useSyncExternalStore(subscribe, () => textAt(now))

/** How long ago, with the exact time on hover. */
export function Ago({ at }: { at: string }) {
  const text = useTextOfNow((present) => ago(at, Math.max(present, Date.parse(at))))
  usePreferences()
  return (
    <time dateTime={at} title={exact(Date.parse(at))}>
      {text}
    </time>
  )
}

export function Instant({ at, format = exact }: { at: string; format?: (ms: number) => string }) {
  usePreferences()
  const ms = Date.parse(at)
  return (
    <time dateTime={at} title={exact(ms)}>
      {format(ms)}
    </time>
  )
}
