import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { compareAlpmVersions } from './alpm-version.ts'
import type { PendingUpdates } from './apt.ts'
import { eachDecompressed } from './decompressed.ts'

const FOLDER = '/var/lib/pacman'

export const hasPacman = (root: string): boolean => existsSync(`${root}${FOLDER}/local`) && existsSync(`${root}${FOLDER}/sync`)

/**
 * Installed packages of which the databases of pacman have a newer version, those of `IgnorePkg` excluded; each package counts in the first
 * repository that has it. Arch has no lists of security updates. Undefined where no database can be read.
 */
export async function readPacmanUpdates(root: string): Promise<PendingUpdates | undefined> {
  const { repositories, ignored } = await readConfig(`${root}/etc/pacman.conf`)
  const files = await readdir(`${root}${FOLDER}/sync`)
  const databases = files.filter((name) => name.endsWith('.db')).map((name) => name.slice(0, -3))
  const used = repositories.length > 0 ? repositories.filter((name) => databases.includes(name)) : databases
  const offered = new Map<string, string>()
  const times: number[] = []
  for (const name of used) {
    const path = `${root}${FOLDER}/sync/${name}.db`
    const own = await readDatabase(path)
    if (!own) continue
    times.push((await stat(path)).mtimeMs)
    for (const [one, version] of own) if (!offered.has(one)) offered.set(one, version)
  }
  if (times.length === 0) return undefined
  const installed = (await readdir(`${root}${FOLDER}/local`)).flatMap((folder) => {
    const found = parsePackage(folder)
    return found ? [found] : []
  })
  const pending = installed.filter(([name, version]) => {
    const other = offered.get(name)
    return other !== undefined && !ignored.has(name) && compareAlpmVersions(other, version) > 0
  })
  return { pending: pending.map(([name]) => name), security: undefined, listsAtMs: Math.max(...times) }
}

/** Of `name-version-release`: the name, and the rest. */
function parsePackage(folder: string): [name: string, version: string] | undefined {
  const [, name, version] = /^(.+)-([^-]+-[^-]+)$/.exec(folder) ?? []
  return name === undefined || version === undefined ? undefined : [name, version]
}

async function readConfig(path: string): Promise<{ repositories: string[]; ignored: Set<string> }> {
  const text = await readFile(path, 'utf8').catch(() => '')
  const sections = [...text.matchAll(/^\s*\[([^\]]+)\]/gm)].map(([, name = '']) => name)
  const ignored = [...text.matchAll(/^\s*IgnorePkg\s*=\s*(.*)$/gm)].flatMap(([, names = '']) => names.trim().split(/\s+/))
  return { repositories: sections.filter((name) => name !== 'options'), ignored: new Set(ignored) }
}

const BLOCK_BYTES = 512
const FOLDER_TYPE = '5'

/** The versions by name: a database is a tar archive with a folder for each package, `name-version-release/`. Undefined if unreadable. */
async function readDatabase(path: string): Promise<Map<string, string> | undefined> {
  const versions = new Map<string, string>()
  let rest = Buffer.alloc(0)
  /** Of the content of a file, with its padding. */
  let skipped = 0
  const isRead = await eachDecompressed(path, (piece) => {
    rest = Buffer.concat([rest, piece])
    let at = Math.min(skipped, rest.length)
    skipped -= at
    while (skipped === 0 && at + BLOCK_BYTES <= rest.length) {
      const header = rest.subarray(at, at + BLOCK_BYTES)
      const isFolder = String.fromCharCode(header[156] ?? 0) === FOLDER_TYPE
      const found = isFolder ? parsePackage(textOf(header, 0, 100).replace(/\/$/, '')) : undefined
      if (found) versions.set(...found)
      const size = Number.parseInt(textOf(header, 124, 136), 8) || 0
      const content = Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES
      const there = Math.min(content, rest.length - at - BLOCK_BYTES)
      skipped = content - there
      at += BLOCK_BYTES + there
    }
    rest = rest.subarray(at)
  })
  return isRead ? versions : undefined
}

/** The text of a field of a tar header, which a zero ends. */
const textOf = (header: Buffer, from: number, to: number): string => header.toString('utf8', from, to).replace(/\0.*$/s, '')
