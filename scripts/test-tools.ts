import { randomInt } from 'node:crypto'
import { accessSync, constants, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'

/**
 * True when a program that the tests need is missing here, which is then said aloud: `describe.skipIf(lacks('nginx'))`.
 * `root` stands for the right to chroot and mount. With TEST_REQUIRE_ALL it throws instead: there nothing may be skipped.
 */
export function lacks(...tools: string[]): boolean {
  const missing = tools.filter((tool) => (tool === 'root' ? process.getuid?.() !== 0 : findTool(tool) === undefined))
  if (missing.length === 0) return false
  if (requiresAll()) throw new Error(`TEST_REQUIRE_ALL is set and this machine lacks: ${missing.join(', ')}`)
  console.warn(`skipped, because this machine lacks: ${missing.join(', ')}`)
  return true
}

/** True where a skipped test counts as failed. */
export function requiresAll(): boolean {
  return !['', '0', undefined].includes(process.env['TEST_REQUIRE_ALL'])
}

/** The path of a program; also from where Debian keeps those that are not for every user's PATH. */
export function findTool(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin', ...postgresFolders()]
  return folders.map((folder) => join(folder, name)).find((path) => isExecutable(path))
}

/** Newest first; Debian installs each major version beside the others. */
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

/** Below those that systems give to whoever asks for any: Linux from 32768 on, others from 49152 on. */
const OWN_PORTS = { from: 12_000, to: 32_000 }

/**
 * A port of 127.0.0.1 that nobody has at the moment, and that nobody is given either who connects, or listens on any: it can be left
 * and taken again, minutes later.
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
