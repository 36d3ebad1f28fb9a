/**
 * From the death of an agent to its incident, with the shortest grace that there is (90 s): one JSON line.
 *
 *   npm run faults:offline
 *
 * A real agent pushes each 5 s to a real backend, and is killed (SIGKILL). `overGraceSeconds`: how long after the grace the incident
 * stood in the database, counted from the last push that was taken; goal ≤ 10. `fromKillSeconds`: the same from the kill. Two minutes.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readWhenThere, startBackend } from './backend.ts'
import { ROOT } from './child.ts'
import { round2 } from './processes.ts'
import { sleep } from './sleep.ts'

const GRACE_MS = 90_000
const GOAL_SECONDS = 10
const LOOK_EVERY_MS = 50
const PUSHES = 'select count(*) as n from metric_push'
const LAST = 'select max(received_at) as n from metric_push'
const OPEN = "select count(*) as n from incident where status = 'open'"

async function startAgent(folder: string, url: string, apiKey: string): Promise<ChildProcess> {
  const env = { PATH: process.env['PATH'], VEDETTE_STATE_DIR: join(folder, 'state'), VEDETTE_CONFIG: join(folder, 'agent.yaml') }
  const run = (...args: string[]) =>
    spawn(process.execPath, ['agent/src/main.ts', ...args], { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = (await once(run('register', '--url', url, '--api-key', apiKey), 'exit')) as [number]
  if (code !== 0) throw new Error(`registering ended with ${code}`)
  return run('run')
}

async function main(): Promise<void> {
  const backend = await startBackend('serve', [], { VEDETTE_SAMPLE_INTERVAL_SECONDS: '5', VEDETTE_PUSH_INTERVAL_SECONDS: '5' })
  const folder = mkdtempSync(join(tmpdir(), 'vedette-offline-'))
  const ask = async (text: string) => Number((await backend.database.query<{ n: string }>(text)).rows[0]?.n ?? 0)
  const until = async (text: string, least: number) => {
    const endMs = Date.now() + 2 * GRACE_MS
    while ((await ask(text)) < least) {
      if (Date.now() > endMs) throw new Error(`it was in vain to wait for: ${text}`)
      await sleep(LOOK_EVERY_MS)
    }
    return Date.now()
  }
  try {
    const agent = await startAgent(folder, backend.url, await readWhenThere(join(backend.dataDir, 'bench.key')))
    await until(PUSHES, 3)
    // In the middle between two pushes.
    await sleep(2_500)
    const gone = once(agent, 'exit')
    agent.kill('SIGKILL')
    await gone
    const killedMs = Date.now()
    const seenMs = await until(OPEN, 1)
    const overGraceSeconds = round2((seenMs - (await ask(LAST)) - GRACE_MS) / 1_000)
    const met = overGraceSeconds <= GOAL_SECONDS
    const fromKillSeconds = round2((seenMs - killedMs) / 1_000)
    process.stdout.write(
      `${JSON.stringify({ graceSeconds: GRACE_MS / 1_000, overGraceSeconds, fromKillSeconds, goal: GOAL_SECONDS, met })}\n`,
    )
    if (!met) process.exitCode = 1
  } finally {
    await backend.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

await main()
