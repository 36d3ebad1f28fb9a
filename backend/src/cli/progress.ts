import type { Tell } from '../archive/index.ts'
import type { World } from './command.ts'

const WIDTH = 30
/** Ten times a second is as fluent as a terminal over a network needs. */
const EVERY_MS = 100

/** Runs `work` under a bar for whoever watches at a terminal, and takes the bar away. Without a terminal nothing is told. */
export async function withProgress<T>({ show, clock }: World, work: (tell: Tell) => Promise<T>): Promise<T> {
  if (!show) return work(() => undefined)
  let shownAt = Number.NEGATIVE_INFINITY
  try {
    return await work((done, of, what) => {
      if (clock.now() - shownAt < EVERY_MS) return
      shownAt = clock.now()
      show(barOf(done, of, what))
    })
  } finally {
    show('')
  }
}

/** Never full before the end, which takes the bar away. */
export function barOf(done: number, of: number, what: string): string {
  const share = of > 0 ? Math.min(0.99, done / of) : 0
  const full = Math.floor(share * WIDTH)
  return `[${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}] ${String(Math.floor(share * 100)).padStart(2)} %  ${what}`
}
