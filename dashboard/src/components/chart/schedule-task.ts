const waiting = new Set<() => void>()
let timer: ReturnType<typeof setTimeout> | undefined

/**
 * Runs callbacks one after the other, each in its own task, so that creating nine plots does not block the page. Returns a function
 * that cancels a callback which has not run.
 */
export function scheduleTask(run: () => void): () => void {
  waiting.add(run)
  timer ??= setTimeout(next)
  return () => void waiting.delete(run)
}

function next(): void {
  const [first] = waiting
  timer = undefined
  if (!first) return
  waiting.delete(first)
  if (waiting.size > 0) timer = setTimeout(next)
  first()
}
