import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { processesOf } from './e2e/workbench.ts'
import { parentFolder } from './global-setup.ts'

let folder: string
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(parentFolder(), 'vdt-setup-')))
  // Postgres runs as another user when root starts it.
  chmodSync(folder, 0o755)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const RUN = `import setUp from ${JSON.stringify(join(import.meta.dirname, 'global-setup.ts'))}
await setUp({ vitest: { projects: [{ name: 'backend' }] }, provide() {} })
console.log('ready')
setInterval(() => {}, 1_000)`

it.each(['SIGTERM', 'SIGKILL'] as const)(
  'a test run that is ended by %s leaves neither Postgres nor its folder behind',
  async (signal) => {
    const env = { PATH: process.env['PATH'], TMPDIR: folder }
    const args = ['--input-type=module', '--eval', RUN]
    const run = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
    const ended = once(run, 'close')
    await once(run.stdout, 'data')
    expect(processesOf(folder)).not.toEqual([])
    process.kill(-(run.pid ?? 0), signal)
    await ended
    await expect.poll(() => [...processesOf(folder), ...readdirSync(folder)]).toEqual([])
  },
)
