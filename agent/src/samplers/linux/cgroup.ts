/** The cgroups of a process, from its file `cgroup`: one in version 2, one per controller in version 1. */
export function parseCgroups(text: string): {
  unified: string | undefined
  byController: Map<string, { folder: string; path: string }>
} {
  const byController = new Map<string, { folder: string; path: string }>()
  let unified: string | undefined
  for (const line of text.split('\n')) {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
    if (controllers === undefined || path === undefined) continue
    if (controllers === '') unified = path
    else for (const controller of controllers.split(',')) byController.set(controller, { folder: controllers, path })
  }
  return { unified, byController }
}

/** The files of a cgroup, in either version. */
export interface CgroupFiles {
  isV2: boolean
  cpu: string
  memory: string
  memoryStat: string
  oom: string
  io: string
  tasks: string
}

/** `folderOf`: the folder of the cgroup for a controller of version 1; version 2 has one for all. */
export function cgroupFiles(isV2: boolean, folderOf: (controller: string) => string): CgroupFiles {
  const path = (controller: string, v1: string, v2: string) => `${folderOf(controller)}/${isV2 ? v2 : v1}`
  return {
    isV2,
    cpu: path('cpuacct', 'cpuacct.usage', 'cpu.stat'),
    memory: path('memory', 'memory.usage_in_bytes', 'memory.current'),
    memoryStat: path('memory', 'memory.stat', 'memory.stat'),
    oom: path('memory', 'memory.oom_control', 'memory.events'),
    io: path('blkio', 'blkio.throttle.io_service_bytes', 'io.stat'),
    tasks: path('pids', 'pids.current', 'pids.current'),
  }
}

export interface CgroupUsage {
  cpuMicroseconds: number | undefined
  /** Without the part of the page cache that can be freed at once. */
  memoryBytes: number | undefined
}

/** What the processes of a cgroup use together, from the texts of its files. */
export function parseUsage(isV2: boolean, texts: { [File in 'cpu' | 'memory' | 'memoryStat']: string | undefined }): CgroupUsage {
  const nanoseconds = isV2 ? undefined : toCount(texts.cpu)
  const used = toCount(texts.memory)
  const cache = numberAfter(texts.memoryStat, isV2 ? 'inactive_file ' : 'total_inactive_file ')
  return {
    cpuMicroseconds: isV2 ? numberAfter(texts.cpu, 'usage_usec ') : nanoseconds === undefined ? undefined : nanoseconds / 1_000,
    memoryBytes: used === undefined ? undefined : Math.max(0, used - (cache ?? 0)),
  }
}

export function toCount(text: string | undefined): number | undefined {
  const count = Number.parseInt(text ?? '', 10)
  return Number.isNaN(count) ? undefined : count
}

/** The number after a key at the start of a line. */
export function numberAfter(text: string | undefined, key: string): number | undefined {
  if (text === undefined) return undefined
  if (text.startsWith(key)) return toCount(text.slice(key.length, key.length + 20))
  const at = text.indexOf(`\n${key}`)
  return at < 0 ? undefined : toCount(text.slice(at + 1 + key.length, at + 21 + key.length))
}
