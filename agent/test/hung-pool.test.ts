import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { AgentHarness } from './harness.ts'
import { batchesOf } from './stub-backend.ts'

const harness = new AgentHarness()

test.runIf(process.platform === 'linux')('a thread pool full of hung calls stops neither sampling nor sending', async () => {
  const fifos = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => join(harness.home.folder, name))
  execFileSync('mkfifo', fifos)
  // Nobody writes into a FIFO: each open takes one of the pool's four threads and never gives it back.
  const preload = join(harness.home.folder, 'hang.cjs')
  writeFileSync(
    preload,
    `const looking = setInterval(() => {
      // It listens as soon as it runs, however long it took to load; its first sample is due a second later.
      if (process.listenerCount('SIGTERM') === 0) return
      clearInterval(looking)
      setTimeout(() => { for (const path of ${JSON.stringify(fifos)}) require('node:fs').open(path, 'r', () => {}) }, 300)
    }, 1)`,
  )
  harness.home.writeConfig(`url: ${harness.url.replace('127.0.0.1', 'localhost')}\ntoken: t\nsample_interval_seconds: 1\n`)
  const agent = harness.start(['run'], { NODE_OPTIONS: `--require=${preload}` })
  await harness.pushes(1)
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  expect(await agent.terminate()).toBeLessThan(3_000)
  const [first, last] = await harness.pushes(2)
  expect(batchesOf(first ?? { text: '' })[0]?.columns.disk?.usage_percent).toBeUndefined()
  const columns = batchesOf(last ?? { text: '' })[0]?.columns
  expect(columns?.at_ms.length).toBeGreaterThanOrEqual(1)
  expect(columns?.cpu?.percent?.at(-1)).toBeTypeOf('number')
})
