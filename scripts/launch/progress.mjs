// Shows the progress of the set-up: one line that is rewritten on a terminal, a line per step elsewhere.

// Without a terminal, prints progress this often, so that a slow download does not look like a hang in a log.
const PLAIN_EVERY_MS = 5000

/** Prints to `stream`; `readPnpmLine` takes pnpm's output line by line and shows its progress. */
export function stepPrinter(stream) {
  const live = stream.isTTY === true
  let printedAt = 0
  let downloading = false
  let retrying = false
  let hasLiveLine = false

  function clear() {
    if (hasLiveLine) stream.write('\r\u001b[K')
    hasLiveLine = false
  }
  function step(text) {
    clear()
    stream.write(`set-up: ${text}\n`)
    printedAt = performance.now()
  }
  function progress(text) {
    if (live) {
      stream.write(`\r\u001b[Kset-up: ${text}`.slice(0, (stream.columns ?? 80) + 4))
      hasLiveLine = true
    } else if (performance.now() - printedAt > PLAIN_EVERY_MS) step(text)
  }
  function readPnpmLine(line) {
    // Once for all packages: without a network each of them reports it.
    const failing = /WARN.*? error \((.*)/.exec(line)?.[1]
    if (failing && !retrying) step(`the registry does not answer, trying again: ${failing.slice(0, 100)}`)
    retrying ||= failing !== undefined
    const counts = /Progress: resolved (\d+), reused (\d+), downloaded (\d+), added (\d+)(, done)?/.exec(line)
    if (!counts) return
    const [, resolved, reused, downloaded, added, done] = counts
    if (!downloading) step(`pnpm is there; fetching ${resolved} packages`)
    downloading = true
    if (done) step(`${added} packages in place, ${downloaded} downloaded, ${reused} from the store`)
    else progress(`${added} of ${resolved} packages, ${downloaded} downloaded`)
  }
  return { step, readPnpmLine, end: clear }
}
