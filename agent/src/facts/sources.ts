import { existsSync } from 'node:fs'
import { basename } from 'node:path/posix'
import type { FoundSources } from '@vedette/shared'
import { OPTIONAL_SOURCES, type OptionalSource } from '@vedette/shared/entities/sources'
import type { AgentConfig } from '../config/config-settings.ts'
import { usesContainers, usualSockets } from '../entities/containers/create.ts'
import { GPU_DRIVERS, linkName } from '../entities/gpus.ts'
import { listFolder } from '../entities/device-files.ts'

export type SourceConfig = Pick<AgentConfig, 'hostRoot' | 'containers' | 'containerSockets' | 'smart' | 'units' | 'ups'>

/** Whether the config lets the agent read it. */
const isAllowed = (config: SourceConfig): Record<OptionalSource, boolean> => ({
  containers: usesContainers(config),
  disks: config.smart ?? false,
  units: (config.units ?? []).length > 0,
  gpus: true,
  ups: (config.ups ?? []).length > 0,
})

/** Disks that may have S.M.A.R.T. or the NVMe log; those of virtual machines (vda) have neither. */
const DISK = /^(?:sd[a-z]+|nvme\d+n\d+)$/

/** Looks at names of files only: it opens nothing and needs no right. */
function isThere(root: string, platform: NodeJS.Platform): Record<OptionalSource, () => boolean> {
  const isLinux = platform === 'linux'
  const cards = () => listFolder(`${root}/sys/class/drm`).filter((name) => /^card\d+$/.test(name))
  return {
    containers: () => isLinux && usualSockets(root).some((path) => existsSync(path)),
    disks: () => isLinux && listFolder(`${root}/sys/block`).some((name) => DISK.test(basename(name))),
    units: () => !isLinux || existsSync(`${root}/run/systemd/system`),
    gpus: () =>
      isLinux &&
      (existsSync(`${root}/proc/driver/nvidia/version`) ||
        cards().some((card) => GPU_DRIVERS.has(linkName(`${root}/sys/class/drm/${card}/device/driver`) ?? ''))),
    ups: () => isLinux && existsSync(`${root}/etc/nut/ups.conf`),
  }
}

/** What this host has of the optional sources: whether the config lets the agent read it. `root` is for tests. */
export function findSources(config: SourceConfig, platform: NodeJS.Platform, root = config.hostRoot ?? ''): FoundSources {
  const allowed = isAllowed(config)
  const there = isThere(root, platform)
  // Graphics cards need no setting, so that only what is there counts.
  const isFound = (source: OptionalSource) => (allowed[source] && source !== 'gpus') || there[source]()
  return Object.fromEntries(OPTIONAL_SOURCES.filter(isFound).map((source) => [source, allowed[source]]))
}
