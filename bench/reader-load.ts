/**
 * People who look: a process of its own with so many readers, each of whom asks for the next page as soon as the pause after the
 * last one is over. Driven by messages (`ReadOrder` in, `ReadResult` out); prints `ready` first and ends with its parent.
 */
import { setTimeout as sleep } from 'node:timers/promises'

export interface ReadOrder {
  url: string
  authorization: string
  readers: number
  pauseMs: number
  seconds: number
  /** Below `url`, one after the other. */
  paths: readonly string[]
}

export interface ReadResult {
  reads: number
  p50Ms: number
  p99Ms: number
  failures: number
  firstFailure: string | undefined
}

async function run({ url, authorization, readers, pauseMs, seconds, paths }: ReadOrder): Promise<ReadResult> {
  const latencies: number[] = []
  let failures = 0
  let firstFailure: string | undefined
  const endAt = performance.now() + seconds * 1_000
  const read = async (reader: number) => {
    // Not all at once.
    await sleep((pauseMs * reader) / readers)
    for (let count = reader; performance.now() < endAt; count += 1) {
      const beganAt = performance.now()
      const response = await fetch(`${url}${paths[count % paths.length]}`, { headers: { authorization } })
      const text = await response.text()
      latencies.push(performance.now() - beganAt)
      if (response.status !== 200) {
        failures += 1
        firstFailure ??= text
      }
      await sleep(pauseMs)
    }
  }
  await Promise.all(Array.from({ length: readers }, (_, reader) => read(reader)))
  const sorted = latencies.sort((left, right) => left - right)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { reads: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), failures, firstFailure }
}

process.on('message', (order: ReadOrder) => {
  run(order).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit())
console.log('ready to go')
