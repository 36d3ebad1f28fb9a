import { afterEach, expect, test, vi } from 'vitest'
import type { Postmaster } from './postmaster.ts'
import { supervise } from './supervisor.ts'
import { recordLog, waitUntil } from './test/harness.ts'

afterEach(() => vi.restoreAllMocks())

/** A postmaster that exits on `end`; pid 0 is never signalled. */
function fakePostmaster() {
  const { promise, resolve } = Promise.withResolvers<string>()
  const postmaster: Postmaster = { pid: 0, exited: promise, tail: () => '', setQuiet: () => undefined }
  return { postmaster, end: () => resolve('ended by the test') }
}

test('kills with a recovery after each never lengthen the pause before a restart', async () => {
  // Each reading of the clock is an hour later: every postmaster ran for long.
  let hours = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (hours += 1) * 3_600_000)
  const fakes = Array.from({ length: 12 }, fakePostmaster)
  let restarts = 0
  const supervision = supervise(
    fakes[0]!.postmaster,
    async () => fakes[restarts + 1]!.postmaster,
    recordLog().log,
    () => (restarts += 1),
  )
  const beganAt = Date.now()
  for (const fake of fakes.slice(0, -1)) fake.end()
  await vi.waitFor(() => expect(restarts).toBe(11), { timeout: 30_000 })
  // With growing pauses it would take 26 s.
  expect(Date.now() - beganAt).toBeLessThan(14_000)
  fakes.at(-1)?.end()
  await supervision.stop()
})

test('a failed start is retried until the supervisor stops', async () => {
  const { postmaster, end } = fakePostmaster()
  let tries = 0
  const relaunch = async () => {
    tries += 1
    return { failure: 'no memory' }
  }
  const { log, lines } = recordLog()
  const supervision = supervise(postmaster, relaunch, log, () => undefined)
  end()
  await waitUntil(async () => tries >= 3)
  await supervision.stop()
  const triesAtStop = tries
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(tries).toBe(triesAtStop)
  expect(lines.map((line) => line.message)).toContain('postgres did not start')
})
