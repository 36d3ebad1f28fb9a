import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { NODE_FLAGS } from '../../../agent/src/process/node-flags.ts'
import { VEDETTE_AGENT } from '../../../scripts/test-tools.ts'
import { startYes } from '../backend.ts'
import { fixedHost } from './host.ts'
import { type Work, worksOf } from './trace.ts'

/** By then what is loaded at the first push, and collected a minute after the start, is behind it. */
const WARM_UP_MINUTES = 3
const LONGEST_MS = 90_000

/** Traces the built agent over so many minutes of its own time, each with six samples and a push. Needs `strace` and `openssl`. */
export async function traceAgent(minutes: number, program = VEDETTE_AGENT): Promise<Work[]> {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-budgets-'))
  // The time of the agent is its own: the backend answers with it.
  const backend = await startYes((instants) => Math.max(...instants))
  const config = join(folder, 'agent.yaml')
  const host = fixedHost(folder)
  const lines = [`url: ${backend.url}`, 'token: t', `ca_file: ${backend.certificate.certFile}`, `host_root: ${host}`]
  writeFileSync(config, `${lines.join('\n')}\n`, { mode: 0o600 })
  const trace = join(folder, 'trace')
  const agent = [...NODE_FLAGS, '--require', join(import.meta.dirname, 'driven-time.ts'), program, 'run']
  const child = spawn('strace', ['-f', '-y', '-s', '64', '-o', trace, process.execPath, ...agent], {
    env: {
      PATH: process.env['PATH'] ?? '',
      VEDETTE_CONFIG: config,
      VEDETTE_STATE_DIR: join(folder, 'state'),
      BUDGET_HOST: host,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  try {
    const wanted = (WARM_UP_MINUTES + minutes) * 6
    for (const endMs = performance.now() + LONGEST_MS; backend.samples('t') < wanted && performance.now() < endMs; )
      await sleep(100)
    return worksOf(readFileSync(trace, 'utf8')).slice(WARM_UP_MINUTES * 7)
  } finally {
    // Not the tracer, which would let the agent go on: its first line begins with the number of the process that it started.
    const pid = Number.parseInt(readFileSync(trace, 'utf8').slice(0, 20), 10)
    if (child.exitCode === null && pid > 0) process.kill(pid, 'SIGKILL')
    await ended
    backend.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
