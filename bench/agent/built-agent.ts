import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NODE_FLAGS } from '../../agent/src/process/node-flags.ts'
import { ROOT } from '../lib/child.ts'
import type { Yes } from './backend.ts'

export interface BuiltAgent {
  child: ChildProcess
  pid: number
  startedAtMs: number
}

/** A sample a second, a push each ten. */
export const QUICK = ['sample_interval_seconds: 1', 'push_interval_seconds: 10']

/** The built agent under the flags that our services use, at the default intervals without `settings`. `token` names it to the backend. */
export function startBuiltAgent(folder: string, backend: Yes, token: string, settings: readonly string[] = []): BuiltAgent {
  const home = join(folder, token)
  mkdirSync(home)
  // A copy: a file that was just written shows pages that an installed one does not have.
  cpSync(join(ROOT, 'agent/dist'), home, { recursive: true })
  const config = join(home, 'agent.yaml')
  const lines = [`url: ${backend.url}`, `token: ${token}`, `ca_file: ${backend.certificate.certFile}`]
  writeFileSync(config, [...lines, ...settings, ''].join('\n'), { mode: 0o600 })
  const env = { PATH: process.env.PATH ?? '', VEDETTE_CONFIG: config, VEDETTE_STATE_DIR: join(home, 'state') }
  const startedAtMs = Date.now()
  const child = spawn(process.execPath, [...NODE_FLAGS, join(home, 'vedette-agent.cjs'), 'run'], { env, stdio: 'ignore' })
  return { child, pid: child.pid as number, startedAtMs }
}
