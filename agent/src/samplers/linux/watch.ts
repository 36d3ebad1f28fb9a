import { availableParallelism } from 'node:os'
import type { Clock } from '../../clock.ts'
import type { HostNews, HostWatch } from '../host-watch.ts'
import { HostStateReader, type HostStateSources } from './host-state.ts'
import { parseStat } from './cpu.ts'
import { ProcessSampler } from './processes.ts'
import { readFileSync } from 'node:fs'

/** `tellsProcesses` false: the list is sent empty, so that none is shown. */
export function createLinuxWatch(clock: Clock, tellsProcesses: boolean, sources: HostStateSources = {}): HostWatch {
  const procRoot = sources.procRoot ?? '/proc'
  const processes = tellsProcesses ? new ProcessSampler(clock, procRoot) : undefined
  const state = new HostStateReader(clock, sources)
  return {
    prime: async () => void (await processes?.read(coresOf(procRoot))),
    look: async (): Promise<HostNews> => {
      const list = processes ? await processes.read(coresOf(procRoot)) : []
      const host = await state.read()
      return { ...(list && { processes: list }), host }
    },
  }
}

/** Read as UTF-8, the one that takes no buffer of 64 KiB. All of the machine: those that this process may use are fewer under a limit. */
function coresOf(procRoot: string): number {
  try {
    return parseStat(readFileSync(`${procRoot}/stat`, 'utf8'))?.cores || availableParallelism()
  } catch {
    return availableParallelism()
  }
}
