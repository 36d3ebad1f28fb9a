import { existsSync, statSync } from 'node:fs'
import { tryReadText } from '../../process/files.ts'

export interface CgroupFigures {
  /** Another one after each start. */
  inode: number | undefined
  cpuMicroseconds: number | undefined
  /** Without the part of the page cache that can be freed at once. */
  memoryBytes: number | undefined
  tasks: number | undefined
}

/** Reads what the processes of one cgroup use together: of version 2, else of version 1. */
export function createCgroupReader(sysRoot: string): (path: string) => CgroupFigures {
  const root = `${sysRoot}/fs/cgroup`
  return existsSync(`${root}/cgroup.controllers`) ? (path) => readV2(`${root}${path}`) : (path) => readV1(root, path)
}

function readV2(folder: string): CgroupFigures {
  return {
    inode: inodeOf(folder),
    cpuMicroseconds: field(tryReadText(`${folder}/cpu.stat`), 'usage_usec'),
    memoryBytes: less(tryReadText(`${folder}/memory.current`), field(tryReadText(`${folder}/memory.stat`), 'inactive_file')),
    tasks: toCount(tryReadText(`${folder}/pids.current`)),
  }
}

function readV1(root: string, path: string): CgroupFigures {
  const memory = `${root}/memory${path}`
  const nanoseconds = toCount(tryReadText(`${root}/cpuacct${path}/cpuacct.usage`))
  return {
    inode: inodeOf(memory),
    cpuMicroseconds: nanoseconds === undefined ? undefined : nanoseconds / 1_000,
    memoryBytes: less(
      tryReadText(`${memory}/memory.usage_in_bytes`),
      field(tryReadText(`${memory}/memory.stat`), 'total_inactive_file'),
    ),
    tasks: toCount(tryReadText(`${root}/pids${path}/pids.current`)),
  }
}

function inodeOf(folder: string): number | undefined {
  return statSync(folder, { throwIfNoEntry: false })?.ino
}

function less(text: string | undefined, cache: number | undefined): number | undefined {
  const used = toCount(text)
  return used === undefined ? undefined : Math.max(0, used - (cache ?? 0))
}

/** The number after a name at the start of a line. */
function field(text: string | undefined, name: string): number | undefined {
  const lineAt = text === undefined ? -1 : `\n${text}`.indexOf(`\n${name} `)
  return lineAt < 0 ? undefined : toCount(text?.slice(lineAt + name.length, lineAt + name.length + 24))
}

function toCount(text: string | undefined): number | undefined {
  const count = Number.parseInt(text ?? '', 10)
  return Number.isFinite(count) ? count : undefined
}
