import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bareEnvironment } from '../../scripts/test-tools.ts'

const MAIN = join(import.meta.dirname, '../../backend/src/main.ts')
const READY_MS = 60_000

export interface RunningVedette {
  /** As printed, with the set-up code. */
  readyUrl: string
  /** An API key with the scope `agent`; exists as soon as there is an organization. */
  agentKey(): string
  dataDir: string
  /** The config file of the agent of this host. */
  agentConfig: string
  /** Stops it and removes its data. */
  stop(): Promise<void>
}

/** Starts what `npm start` runs: database, API, page and the agent of this host, with its own data. */
export async function startVedette(settings: Readonly<Record<string, string>> = {}): Promise<RunningVedette> {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-page-'))
  const keyFile = join(folder, 'agent.key')
  const child = spawn(process.execPath, [MAIN, 'start'], {
    env: {
      ...bareEnvironment(),
      VEDETTE_DATA_DIR: folder,
      VEDETTE_PORT: '0',
      VEDETTE_CONTROL_TARGETS: 'none',
      VEDETTE_LOG_LEVEL: 'warn',
      VEDETTE_BOOTSTRAP_API_KEY_FILE: keyFile,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stop = async () => {
    if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    return {
      readyUrl: await readyLine(child),
      agentKey: () => readFileSync(keyFile, 'utf8').trim(),
      dataDir: folder,
      agentConfig: join(folder, 'agent/agent.yaml'),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

function readyLine(child: ChildProcess): Promise<string> {
  let output = ''
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not ready after ${READY_MS} ms:\n${output}`)), READY_MS)
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      const url = /^ready (\S+)$/m.exec(output)?.[1]
      if (url === undefined) return
      clearTimeout(timer)
      resolve(url)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('exit', (code) => reject(new Error(`ended with ${code} before it was ready:\n${output}`)))
  })
}
