import { availableParallelism } from 'node:os'
import type { Clock } from '../../clock.ts'
import { tryReadText } from '../../files.ts'
import { type HostDetails, type HostDetailsReader, toDetails } from '../host-details.ts'
import { HostStateReader, type HostStateSources } from './host-state.ts'
import { parseStat } from './cpu.ts'
import { ProcessSampler } from './processes.ts'
import { ProcessWatch } from './process-watch.ts'

/** `includesProcesses` false: the list is sent empty, so that none is shown. `watched`: names of processes that should run. */
export function createLinuxHostDetailsReader(
  clock: Clock,
  includesProcesses: boolean,
  watched: readonly string[],
  sources: HostStateSources = {},
): HostDetailsReader {
  const procRoot = sources.procRoot ?? `${sources.root ?? ''}/proc`
  const processes = includesProcesses ? new ProcessSampler(clock, procRoot) : undefined
  const watch = watched.length > 0 ? new ProcessWatch(clock, procRoot, watched) : undefined
  const state = new HostStateReader(clock, sources)
  const readProcesses = () => {
    const { cores = 0, ticks } = parseStat(tryReadText(`${procRoot}/stat`) ?? '') ?? {}
    // All cores of the machine; a limited process may use fewer.
    return processes?.read(cores || availableParallelism(), ticks && ticks.user + ticks.nice + ticks.system)
  }
  return {
    prime: async () => void (await readProcesses()),
    read: async (): Promise<HostDetails> => {
      const list = processes ? await readProcesses() : []
      const host = await state.read()
      const missing = await watch?.missing()
      return { ...(list && { processes: list }), ...toDetails({ ...host, ...(missing && { missing_processes: missing }) }) }
    },
  }
}
