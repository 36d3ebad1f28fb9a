// The backend of this checkout as a process, with a database of its own.
import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const OWNER = { email: 'owner@example.com', password: 'a passphrase for the installers' }

export interface Backend {
  url: string
  apiKey: string
  /** Calls the API as the owner. */
  get(path: string): Promise<unknown>
  /** Output of a command of `vedette` on this installation. */
  command(...args: string[]): string
  stop(): Promise<void>
}

/** Returns the first result of `read` that is not undefined, tried every 100 ms. */
export async function until<T>(read: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (;;) {
    const answer = await read()
    if (answer !== undefined) return answer
    await sleep(100)
  }
}

/** `environment` goes before the settings of the tests. */
export async function startBackend(environment: Record<string, string> = {}): Promise<Backend> {
  const dataDir = join(tmpdir(), `vedette-installers-${randomUUID()}`)
  const keyFile = join(dataDir, 'agent.key')
  const cwd = resolve(import.meta.dirname, '../../..')
  const child = spawn(process.execPath, ['backend/src/main.ts', 'serve'], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      VEDETTE_DATA_DIR: dataDir,
      VEDETTE_PORT: '0',
      VEDETTE_CONTROL_TARGETS: 'none',
      VEDETTE_ADMIN_EMAIL: OWNER.email,
      VEDETTE_ADMIN_PASSWORD: OWNER.password,
      VEDETTE_BOOTSTRAP_API_KEY_FILE: keyFile,
      VEDETTE_SAMPLE_INTERVAL_SECONDS: '1',
      VEDETTE_PUSH_INTERVAL_SECONDS: '5',
      VEDETTE_RATE_LIMITS: 'off',
      ...environment,
    },
  })
  const ended = once(child, 'exit')
  const url = await readUrl(child.stdout)
  const apiKey = await until(() => (existsSync(keyFile) && readFileSync(keyFile, 'utf8').trim()) || undefined)
  const login = await fetch(`${url}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(OWNER),
  })
  const { token } = (await login.json()) as { token: string }
  return {
    url,
    apiKey,
    get: async (path) => (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })).json(),
    command: (...args) =>
      execFileSync(process.execPath, ['backend/src/main.ts', ...args], {
        cwd,
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], VEDETTE_DATA_DIR: dataDir },
      }),
    stop: async () => {
      child.kill('SIGTERM')
      await ended
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function readUrl(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const url = /^ready\s+(\S+)/.exec(line)?.[1]
    if (url !== undefined) {
      output.resume()
      return new URL(url).origin
    }
  }
  throw new Error('the backend ended before it was ready')
}
