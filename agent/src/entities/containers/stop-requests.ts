import { HOUR_MS } from '@vedette/shared/durations'
import type { ContainerEvent } from './api.ts'

/** Signals that programs use for other things than their end: HUP, USR1, USR2, WINCH. */
const OTHER_SIGNALS = new Set(['1', '10', '12', '28'])
/** Longer than anyone lets a container stop. */
const MAX_STOP_MS = HOUR_MS
/** From the kernel's kill to the end of the container. */
const MAX_OOM_MS = 30_000
/** Containers; the oldest are dropped. */
const MAX_KEPT = 1_000

/** Remembers whether the end of a container was requested, and whether the kernel killed one of its processes for want of memory. */
export class StopRequests {
  readonly #stops = new Map<string, number>()
  readonly #starts = new Map<string, number>()
  readonly #ooms = new Map<string, number>()

  note(event: ContainerEvent): void {
    const { action, signal = '' } = event
    if (action === 'stop' || (action === 'kill' && !OTHER_SIGNALS.has(signal))) keep(this.#stops, event)
    else if (action === 'start') keep(this.#starts, event)
    else if (action === 'oom') keep(this.#ooms, event)
  }

  /**
   * A program that received a signal to end may do so with any exit code. Podman reports the request after the end, and a container may have
   * started again since.
   */
  isRequested({ id, atMs }: ContainerEvent): boolean {
    const stopMs = this.#stops.get(id)
    const startMs = this.#starts.get(id)
    if (stopMs === undefined || atMs - stopMs > MAX_STOP_MS) return false
    return startMs === undefined || startMs < stopMs || startMs > atMs
  }

  isOutOfMemory({ id, atMs }: ContainerEvent): boolean {
    const oomMs = this.#ooms.get(id)
    return oomMs !== undefined && Math.abs(atMs - oomMs) < MAX_OOM_MS
  }
}

function keep(map: Map<string, number>, { id, atMs }: ContainerEvent): void {
  map.delete(id)
  map.set(id, atMs)
  const [oldest] = map.keys()
  if (map.size > MAX_KEPT && oldest !== undefined) map.delete(oldest)
}
