import { truncateText } from '@vedette/shared/outside-text'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path/posix'
import type { ContainerFacts } from '@vedette/shared'
import { tryReadText } from '../../process/files.ts'
import { parseCgroups } from './cgroup.ts'

/** Folders to read, in tests other ones. */
export interface ContainerSources {
  procRoot?: string
  sysRoot?: string
  /** Prefix of all other paths. */
  root?: string
}

/** Files that exist only in containers. */
const MARKER_FILES = [
  ['/run/.containerenv', 'podman'],
  ['/var/run/secrets/kubernetes.io', 'kubernetes'],
  ['/.dockerenv', 'docker'],
] as const
/**
 * Cgroup names of container runtimes; visible if the container shares the cgroup namespace of its host. Under systemd's driver a container
 * is `docker-<id>.scope`, and the daemon itself `docker.service`.
 */
const GROUP =
  /\/(kubepods|docker|libpod|lxc|crio|(?:cri-)?containerd)(?:(?:-[^/.\n]*)?\.slice|-[0-9a-f]{12,}\.scope|\.payload[^/\n]*)?(?:\/|$)/m
/** Kernels write "no limit" as a number just below 2^63. */
const NO_LIMIT = 2 ** 53

/** The container of this process and its limits; undefined outside a container. */
export function readContainer(sources: ContainerSources = {}): ContainerFacts | undefined {
  const root = sources.root ?? ''
  const procRoot = sources.procRoot ?? `${root}/proc`
  const groups = tryReadText(`${procRoot}/self/cgroup`) ?? ''
  const runtime = runtimeOf(root, procRoot, groups)
  if (runtime === undefined) return undefined
  const limits = readLimits(groups, `${sources.sysRoot ?? `${root}/sys`}/fs/cgroup`)
  return { runtime: truncateText(runtime, 64), ...limits }
}

function runtimeOf(root: string, procRoot: string, groups: string): string | undefined {
  // Written by systemd, and the convention of container runtimes, which only the same user can read.
  const declared =
    tryReadText(`${root}/run/systemd/container`)?.trim() ||
    /(?:^|\0)container=([^\0]+)/.exec(tryReadText(`${procRoot}/1/environ`) ?? '')?.[1]
  const marker = MARKER_FILES.find(([path]) => existsSync(root + path))?.[1]
  // Kubernetes is more specific than its container runtime.
  if (marker === 'kubernetes') return marker
  if (declared) return declared
  if (marker) return marker
  if (existsSync(`${procRoot}/vz`) && !existsSync(`${procRoot}/bc`)) return 'openvz'
  const group = GROUP.exec(groups)?.[1]
  return group === 'kubepods' ? 'kubernetes' : group?.replace('cri-', '')
}

/** The lowest limit of the cgroup and its visible parents; null without a limit. */
function readLimits(groups: string, cgroupRoot: string): Omit<ContainerFacts, 'runtime'> {
  const { unified, byController } = parseCgroups(groups)
  const memory = byController.get('memory')
  if (memory) {
    const cpu = byController.get('cpu')
    return {
      cgroup_version: 1,
      memory_limit_bytes: lowestLimit(`${cgroupRoot}/${memory.folder}`, memory.path, (folder) =>
        limitOf(tryReadText(`${folder}/memory.limit_in_bytes`)),
      ),
      cpu_limit_cores: cpu ? lowestLimit(`${cgroupRoot}/${cpu.folder}`, cpu.path, quotaV1) : null,
    }
  }
  if (unified === undefined) return { cgroup_version: null, memory_limit_bytes: null, cpu_limit_cores: null }
  return {
    cgroup_version: 2,
    memory_limit_bytes: lowestLimit(cgroupRoot, unified, (folder) => limitOf(tryReadText(`${folder}/memory.max`))),
    cpu_limit_cores: lowestLimit(cgroupRoot, unified, (folder) =>
      coresOf(...(tryReadText(`${folder}/cpu.max`)?.trim().split(' ') ?? [])),
    ),
  }
}

function quotaV1(folder: string): number | undefined {
  return coresOf(tryReadText(`${folder}/cpu.cfs_quota_us`), tryReadText(`${folder}/cpu.cfs_period_us`))
}

/** A path of the host may not exist in the container: then only the top, the container's own cgroup, has limits. */
function lowestLimit(top: string, path: string, read: (folder: string) => number | undefined): number | null {
  let lowest: number | undefined
  for (let group = path; ; group = dirname(group)) {
    const limit = read(group === '/' ? top : top + group)
    if (limit !== undefined) lowest = Math.min(limit, lowest ?? limit)
    if (group === '/' || group === '.') return lowest ?? null
  }
}

function limitOf(text: string | undefined): number | undefined {
  const bytes = Number.parseInt(text ?? '', 10)
  return bytes >= 0 && bytes < NO_LIMIT ? bytes : undefined
}

/** Cores from CPU microseconds per period; `max` and -1 mean no limit. */
function coresOf(quota?: string, period?: string): number | undefined {
  const cores = Number.parseInt(quota ?? '', 10) / Number.parseInt(period ?? '', 10)
  return Number.isFinite(cores) && cores > 0 ? Math.round(cores * 100) / 100 : undefined
}
