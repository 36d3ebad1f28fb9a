const PAUSE_MS = 2_000
const TIMEOUT_MS = 10_000

/** Whether the backend answers. */
export const isReachable = (): Promise<boolean> =>
  fetch(`${location.origin}/healthz`, { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS) }).then(
    ({ ok }) => ok,
    () => false,
  )

/**
 * Loads a part of the page; where the backend cannot be reached, once it can. Meanwhile the page before stays on display. Throws what
 * loading threw where the backend answers: an update has replaced the part, and a reload gets the new one.
 */
export async function whenReachable<Part>(
  load: () => Promise<Part>,
  reaches: () => Promise<boolean> = isReachable,
  pauseMs = PAUSE_MS,
): Promise<Part> {
  try {
    return await load()
  } catch (error) {
    if (await reaches()) throw error
  }
  while (!(await reaches())) await new Promise((resolve) => setTimeout(resolve, pauseMs))
  return load()
}
