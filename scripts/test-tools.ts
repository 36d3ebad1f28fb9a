import { accessSync, constants, readdirSync } from 'node:fs'
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
