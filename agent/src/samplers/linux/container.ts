import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path/posix'
import type { ContainerFacts } from '@vedette/shared'

/** Where the kernel and container programs are looked for; other roots in tests. */
export interface ContainerSources {
  procRoot?: string
  sysRoot?: string
  /** Before every other path. */
  root?: string
}

/** Files that only the inside of a container has. */
const MARKS = [
  ['/run/.containerenv', 'podman'],
  ['/var/run/secrets/kubernetes.io', 'kubernetes'],
  ['/.dockerenv', 'docker'],
] as const
/** Names of groups that container programs give; seen where the container shares the namespace of groups with its host. */
const GROUP = /\/(kubepods|docker|libpod|lxc|crio|containerd)(?:[.-/]|$)/m
/** Kernels say "no limit" by a number just under 2^63. */
const NO_LIMIT = 2 ** 53

/** The container that this process is in, with the limits that hold it; undefined on a host of its own. */
export function readContainer(sources: ContainerSources = {}): ContainerFacts | undefined {
  const root = sources.root ?? ''
  const procRoot = sources.procRoot ?? `${root}/proc`
  const groups = readText(`${procRoot}/self/cgroup`) ?? ''
  const runtime = runtimeOf(root, procRoot, groups)
  if (runtime === undefined) return undefined
  const limits = readLimits(groups, `${sources.sysRoot ?? `${root}/sys`}/fs/cgroup`)
  return { runtime: runtime.slice(0, 64), ...limits }
}

function runtimeOf(root: string, procRoot: string, groups: string): string | undefined {
  // systemd inside, and the convention that container programs follow; the latter may be read by the same user only.
  const told =
    readText(`${root}/run/systemd/container`)?.trim() ||
    /(?:^|\0)container=([^\0]+)/.exec(readText(`${procRoot}/1/environ`) ?? '')?.[1]
  const mark = MARKS.find(([path]) => existsSync(root + path))?.[1]
  // Kubernetes says more than the program that it runs its containers with.
  if (mark === 'kubernetes') return mark
  if (told) return told
  if (mark) return mark
  if (existsSync(`${procRoot}/vz`) && !existsSync(`${procRoot}/bc`)) return 'openvz'
  const group = GROUP.exec(groups)?.[1]
  return group === 'kubepods' ? 'kubernetes' : group
}

/** Groups of this process: of version 2 one, of version 1 one for each controller. */
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

/** The least limit of the group and of all above it, as far as they can be seen from here; null where there is none. */
function readLimits(groups: string, cgroupRoot: string): Omit<ContainerFacts, 'runtime'> {
  const { unified, byController } = parseCgroups(groups)
  const memory = byController.get('memory')
  if (memory) {
    const cpu = byController.get('cpu')
    return {
      cgroup_version: 1,
      memory_limit_bytes: least(`${cgroupRoot}/${memory.folder}`, memory.path, (folder) =>
        limitOf(readText(`${folder}/memory.limit_in_bytes`)),
      ),
      cpu_limit_cores: cpu ? least(`${cgroupRoot}/${cpu.folder}`, cpu.path, quotaV1) : null,
    }
  }
  if (unified === undefined) return { cgroup_version: null, memory_limit_bytes: null, cpu_limit_cores: null }
  return {
    cgroup_version: 2,
    memory_limit_bytes: least(cgroupRoot, unified, (folder) => limitOf(readText(`${folder}/memory.max`))),
    cpu_limit_cores: least(cgroupRoot, unified, (folder) => coresOf(...(readText(`${folder}/cpu.max`)?.trim().split(' ') ?? []))),
  }
}

function quotaV1(folder: string): number | undefined {
  return coresOf(readText(`${folder}/cpu.cfs_quota_us`), readText(`${folder}/cpu.cfs_period_us`))
}

/** A path of the host may not exist here: then only the top, which is the container's own group, tells. */
function least(top: string, path: string, read: (folder: string) => number | undefined): number | null {
  let found: number | undefined
  for (let own = path; ; own = dirname(own)) {
    const limit = read(own === '/' ? top : top + own)
    if (limit !== undefined) found = Math.min(limit, found ?? limit)
    if (own === '/' || own === '.') return found ?? null
  }
}

function limitOf(text: string | undefined): number | undefined {
  const bytes = Number.parseInt(text ?? '', 10)
  return bytes >= 0 && bytes < NO_LIMIT ? bytes : undefined
}

/** Microseconds of CPU in a period of so many; `max` and -1 are no limit. */
function coresOf(quota?: string, period?: string): number | undefined {
  const cores = Number.parseInt(quota ?? '', 10) / Number.parseInt(period ?? '', 10)
  return Number.isFinite(cores) && cores > 0 ? Math.round(cores * 100) / 100 : undefined
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
