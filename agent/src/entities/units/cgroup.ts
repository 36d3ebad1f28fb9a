import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path/posix'
import { tryReadText } from '../../process/files.ts'
import { cgroupFiles, type CgroupUsage, parseUsage, toCount } from '../../samplers/linux/cgroup.ts'

export interface CgroupFigures extends CgroupUsage {
  /** Another one after each start. */
  inode: number | undefined
  tasks: number | undefined
}

/** Reads what the processes of one cgroup use together: of version 2, else of version 1. */
export function createCgroupReader(sysRoot: string): (path: string) => CgroupFigures {
  const root = `${sysRoot}/fs/cgroup`
  const isV2 = existsSync(`${root}/cgroup.controllers`)
  return (path) => {
    const files = cgroupFiles(isV2, (controller) => (isV2 ? `${root}${path}` : `${root}/${controller}${path}`))
    const [cpu, memory, memoryStat] = [files.cpu, files.memory, files.memoryStat].map(tryReadText)
    return {
      inode: statSync(dirname(files.memory), { throwIfNoEntry: false })?.ino,
      ...parseUsage(isV2, { cpu, memory, memoryStat }),
      tasks: toCount(tryReadText(files.tasks)),
    }
  }
}
