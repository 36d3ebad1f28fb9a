import { useSyncExternalStore } from 'react'
import { ago, exact } from '../lib/time.ts'
import { usePreferences } from '../lib/preferences.ts'

/** One clock for all texts of the page: they change together, and one timer runs. */
const TICK_MS = 5_000
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  // It stood still while nobody looked.
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

/** The present to five seconds, in ms. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

/** How long ago, with the exact instant on hover and for programs. */
export function Ago({ at }: { at: string }) {
  const present = useNow()
  usePreferences()
  return (
    <time dateTime={at} title={exact(Date.parse(at))}>
      {ago(at, Math.max(present, Date.parse(at)))}
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
