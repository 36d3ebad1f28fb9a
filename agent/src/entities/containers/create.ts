import { existsSync, realpathSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import type { Clock } from '../../process/clock.ts'
import type { AgentConfig } from '../../config/config-settings.ts'
import { tryReadText } from '../../process/files.ts'
import { parseStat } from '../../samplers/linux/cpu.ts'
import type { EntitySource } from '../source.ts'
import { CgroupReader } from './cgroups.ts'
import { ContainerSource, type ContainerSourceOptions } from './container-source.ts'

export const usesContainers = ({ containerSockets, containers }: Pick<AgentConfig, 'containers' | 'containerSockets'>): boolean =>
  containers ?? containerSockets !== undefined

/** One source per socket: a fault of one engine costs no container of another. */
export function createContainerSources(clock: Clock, config: AgentConfig): EntitySource[] {
  const { containerSockets, hostRoot = '' } = config
  if (!usesContainers(config)) return []
  const cores = parseStat(tryReadText(`${hostRoot}/proc/stat`) ?? '')?.cores || availableParallelism()
  const shared = {
    clock,
    cgroups: new CgroupReader(clock, hostRoot),
    cores,
    logLines: config.containerLogLines ?? 0,
    comparesImages: config.containerImageUpdates ?? false,
  }
  const create = (address: string, options?: Partial<ContainerSourceOptions>) =>
    new ContainerSource({ ...shared, address, ...options })
  if (containerSockets) return containerSockets.map((address) => create(address))
  const usual = usualSockets(hostRoot)
  return usual.map((address, index) => create(address, { isExpected: () => isFirstOfItsEngine(usual, index) }))
}

export function usualSockets(hostRoot: string): string[] {
  const user = process.getuid?.() ?? 0
  const own = [`/run/user/${user}/docker.sock`, `/run/user/${user}/podman/podman.sock`]
  const ofHost = hostRoot === '' ? [] : [`${hostRoot}/run/docker.sock`, `${hostRoot}/run/podman/podman.sock`]
  return ['/var/run/docker.sock', '/run/podman/podman.sock', ...own, ...ofHost]
}

/** Some systems link Docker's socket to Podman's. Throws for the first one if there is none at all. */
function isFirstOfItsEngine(sockets: readonly string[], index: number): boolean {
  const there = sockets.filter((path) => existsSync(path))
  if (there.length === 0 && index === 0) throw new Error('no engine has a socket here: container_sockets names others')
  const own = there.indexOf(sockets[index] ?? '')
  if (own < 0) return false
  const real = there.map((path) => realpathSync(path))
  return real.indexOf(real[own] ?? '') === own
}
