import { randomInt } from 'node:crypto'
import { accessSync, constants, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'

/**
 * True when a program that the tests need is missing on this machine, which it prints: `describe.skipIf(isMissing('nginx'))`.
 * `root` means the right to chroot and mount. With TEST_REQUIRE_ALL it throws instead, because nothing may be skipped then.
 */
export function isMissing(...tools: string[]): boolean {
  const missing = tools.filter((tool) => (tool === 'root' ? process.getuid?.() !== 0 : findTool(tool) === undefined))
  if (missing.length === 0) return false
  if (requiresAll()) throw new Error(`TEST_REQUIRE_ALL is set; missing on this machine: ${missing.join(', ')}`)
  console.warn(`skipped, missing on this machine: ${missing.join(', ')}`)
  return true
}

/** True where a skipped test counts as failed. */
export function requiresAll(): boolean {
  return !['', '0', undefined].includes(process.env['TEST_REQUIRE_ALL'])
}

/** The path of a program; searches also the folders that Debian leaves out of PATH. */
export function findTool(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin', ...postgresFolders()]
  return folders.map((folder) => join(folder, name)).find((path) => isExecutable(path))
}

/** Newest first; Debian installs each major version in a folder of its own. */
function postgresFolders(): string[] {
  const base = '/usr/lib/postgresql'
  try {
    const versions = readdirSync(base).sort((a, b) => Number(b) - Number(a))
    return versions.map((version) => join(base, version, 'bin'))
  } catch {
    return [] // not Debian, or no Postgres
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Below the ephemeral ports: Linux starts at 32768, other systems at 49152. */
const OWN_PORTS = { from: 12_000, to: 32_000 }

/**
 * A free port of 127.0.0.1 outside the ephemeral range: no other process gets it by chance, so a test can release it and use it again
 * minutes later.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(OWN_PORTS.from, OWN_PORTS.to)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    await new Promise((done) => server.close(done))
    return port
  }
}

const ROOT = join(import.meta.dirname, '..')
/** The programs as people start them, which `build-programs.ts` builds before the tests: they start in a third of the time of the sources. */
export const VEDETTE = join(ROOT, 'backend/dist/bundle/vedette.mjs')
export const VEDETTE_AGENT = join(ROOT, 'agent/dist/vedette-agent.cjs')

/** What a program of ours that a test starts needs of our environment: where programs are, and the code that Node has compiled. */
export const bareEnvironment = (): { PATH: string; NODE_COMPILE_CACHE?: string } => ({
  PATH: process.env['PATH'] ?? '',
  ...(process.env['NODE_COMPILE_CACHE'] !== undefined && { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }),
})
