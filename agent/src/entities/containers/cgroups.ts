import { existsSync, readdirSync } from 'node:fs'
import type { Clock } from '../../process/clock.ts'
import { tryReadText } from '../../process/files.ts'
import { cgroupFiles, type CgroupFiles, numberAfter, parseCgroups, parseUsage } from '../../samplers/linux/cgroup.ts'
import { openProcFile, type ProcFile, ReadBuffer } from '../../samplers/linux/proc-file.ts'
import type { Counters } from './counters.ts'

/**
 * Files kept open, which halves the cost of a reading: those of 100 containers. The limit of the service is some thousands, of which
 * processes take a thousand. That of the network keeps it until the end of the container is known, which its events report at once.
 */
const MAX_KEPT_OPEN = 600

/** Where engines put containers, for an agent that does not see the group of the container's process. */
const usualGroups = (id: string): string[] => [
  `/system.slice/docker-${id}.scope`,
  `/docker/${id}`,
  `/machine.slice/libpod-${id}.scope`,
  `/libpod_parent/libpod-${id}`,
]

/** The open files of one container. */
export interface ContainerFiles {
  read(): Counters
  close(): void
}

/** Finds and reads the control groups of containers. One for all engines, because it has the limit of the open files. */
export class CgroupReader {
  readonly #clock: Clock
  readonly #procRoot: string
  readonly #sysRoot: string
  readonly #buffer = new ReadBuffer()
  readonly #stacked = new Map<string, boolean>()
  #kept = 0

  constructor(clock: Clock, root = '') {
    this.#clock = clock
    this.#procRoot = `${root}/proc`
    this.#sysRoot = `${root}/sys`
  }

  /**
   * The files of a container that runs; undefined if it has no control group of its own here. `pid` is that of its first process.
   * `hasOwnNetwork` false: its interfaces are those of the host or of another container.
   */
  find(id: string, pid: number, hasOwnNetwork: boolean): ContainerFiles | undefined {
    const groups = pid > 0 ? (tryReadText(`${this.#procRoot}/${pid}/cgroup`) ?? '') : ''
    const paths = this.#pathsOf(groups, id) ?? this.#usualPaths(id)
    if (!paths) return undefined
    // Unless the process is in the group of the container, it may be another one with the same number.
    const network = hasOwnNetwork && groups.includes(id) ? [`${this.#procRoot}/${pid}/net/dev`] : []
    const open = [paths.cpu, paths.memory, paths.memoryStat, paths.oom, paths.io, ...network].map((path) => this.#openFile(path))
    return {
      read: () => this.#read(paths.isV2, open),
      close: () => {
        for (const file of open) file.close()
      },
    }
  }

  #pathsOf(groups: string, id: string): CgroupFiles | undefined {
    const { unified, byController } = parseCgroups(groups)
    const root = `${this.#sysRoot}/fs/cgroup`
    const memory = byController.get('memory')
    const group = groupOf(memory?.path ?? unified ?? '', id)
    const ofController = (controller: string) => {
      const { folder = controller, path = '' } = byController.get(controller) ?? {}
      return `${root}/${folder}${groupOf(path, id)}`
    }
    return existing(cgroupFiles(!memory, memory ? ofController : () => root + group), group)
  }

  #usualPaths(id: string): CgroupFiles | undefined {
    const root = `${this.#sysRoot}/fs/cgroup`
    const isV2 = existsSync(`${root}/cgroup.controllers`)
    return usualGroups(id)
      .map((group) =>
        existing(
          cgroupFiles(isV2, (controller) => (isV2 ? root : `${root}/${controller}`) + group),
          group,
        ),
      )
      .find((paths) => paths !== undefined)
  }

  #openFile(path: string): ProcFile {
    const kept = this.#kept < MAX_KEPT_OPEN ? openProcFile(path, this.#buffer) : undefined
    if (!kept) {
      return {
        read: () => {
          const file = openProcFile(path, this.#buffer)
          const text = file?.read()
          file?.close()
          return text
        },
        close: () => undefined,
      }
    }
    this.#kept++
    return {
      read: () => kept.read(),
      close: () => {
        this.#kept--
        kept.close()
      },
    }
  }

  #read(isV2: boolean, [cpu, memory, memoryStat, oom, io, network]: readonly ProcFile[]): Counters {
    const atMs = this.#clock.monotonicMs()
    const texts = { memory: memory?.read(), memoryStat: memoryStat?.read(), cpu: cpu?.read() }
    const { cpuMicroseconds, memoryBytes } = parseUsage(isV2, texts)
    return {
      atMs,
      cpuSeconds: cpuMicroseconds === undefined ? undefined : cpuMicroseconds / 1e6,
      memoryBytes,
      oomKills: numberAfter(oom?.read(), 'oom_kill '),
      disks: this.#parseIo(isV2, io?.read()),
      interfaces: parseInterfaces(network?.read() ?? ''),
    }
  }

  /** Read and written bytes by device. Those that are built on others are left out: the same bytes are counted there. */
  #parseIo(isV2: boolean, text: string | undefined): Map<string, [number, number]> | undefined {
    if (text === undefined) return undefined
    const disks = new Map<string, [number, number]>()
    const pattern = isV2 ? /^(\d+:\d+) .*?\brbytes=(\d+) wbytes=(\d+)/gm : /^(\d+:\d+) Read (\d+)\n\1 Write (\d+)/gm
    for (const [, device = '', read, written] of text.matchAll(pattern))
      if (!this.#isStacked(device)) disks.set(device, [Number(read), Number(written)])
    return disks
  }

  #isStacked(device: string): boolean {
    let isStacked = this.#stacked.get(device)
    if (isStacked === undefined) {
      isStacked = hasEntries(`${this.#sysRoot}/dev/block/${device}/slaves`)
      this.#stacked.set(device, isStacked)
    }
    return isStacked
  }
}

/**
 * Name, received bytes, and sent ones eight numbers on; without interfaces whose traffic passes another one too, as those of containers
 * in containers. One expression, because a loop would be interpreted.
 */
const INTERFACE = /^ *(?!lo:|docker|br-|veth|virbr|cni|podman|flannel)([^\s:]+): *(\d+)(?: +\d+){7} +(\d+)/gm

function parseInterfaces(text: string): Map<string, number[]> {
  const interfaces = new Map<string, number[]>()
  for (const [, name = '', received, sent] of text.matchAll(INTERFACE)) interfaces.set(name, [Number(received), Number(sent)])
  return interfaces
}

/**
 * The group that is named by the id: runtimes may create more below it. Empty if there is none, as for a container without a group of
 * its own, whose process is in that of its user.
 */
function groupOf(path: string, id: string): string {
  const at = path.indexOf(id)
  if (at < 0 || path.includes('/..')) return ''
  const end = path.indexOf('/', at)
  return end < 0 ? path : path.slice(0, end)
}

function existing(paths: CgroupFiles, group: string): CgroupFiles | undefined {
  return group !== '' && (existsSync(paths.memory) || existsSync(paths.cpu)) ? paths : undefined
}

function hasEntries(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0
  } catch {
    return false
  }
}
