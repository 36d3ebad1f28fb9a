import type { ReportProgress } from '../archive/index.ts'
import type { CommandContext } from './command.ts'

const WIDTH = 30
/** Ten updates per second are smooth enough, also over a network. */
const EVERY_MS = 100

/** Shows a progress bar on the terminal while `work` runs. Without a terminal it shows nothing. */
export async function withProgress<T>(
  { show, clock }: CommandContext,
  work: (reportProgress: ReportProgress) => Promise<T>,
): Promise<T> {
  if (!show) return work(() => undefined)
  let shownAt = Number.NEGATIVE_INFINITY
  try {
    return await work((done, of, what) => {
      if (clock.now() - shownAt < EVERY_MS) return
      shownAt = clock.now()
      show(progressBar(done, of, what))
    })
  } finally {
    show('')
  }
}

/** At most 99 %: the bar is removed at the end. */
export function progressBar(done: number, of: number, what: string): string {
  const share = of > 0 ? Math.min(0.99, done / of) : 0
  const full = Math.floor(share * WIDTH)
  return `[${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}] ${String(Math.floor(share * 100)).padStart(2)} %  ${what}`
}
