const waiting = new Set<() => void>()
let timer: ReturnType<typeof setTimeout> | undefined

/**
 * Runs what is given one after the other, each in a task of its own: nine plots made at once hold the page for as long as all of
 * them take. The answer takes back what has not run.
 */
export function inTurn(run: () => void): () => void {
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
