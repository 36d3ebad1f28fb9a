import { availableParallelism } from 'node:os'
import type { Clock } from '../../clock.ts'
import { tryReadText } from '../../files.ts'
import type { HostDetails, HostDetailsReader } from '../host-details.ts'
import { HostStateReader, type HostStateSources } from './host-state.ts'
import { parseStat } from './cpu.ts'
import { ProcessSampler } from './processes.ts'

/** `reportsProcesses` false: the list is sent empty, so that none is shown. */
export function createLinuxHostDetailsReader(
  clock: Clock,
  includesProcesses: boolean,
  sources: HostStateSources = {},
): HostDetailsReader {
  const procRoot = sources.procRoot ?? `${sources.root ?? ''}/proc`
  const processes = includesProcesses ? new ProcessSampler(clock, procRoot) : undefined
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
      return { ...(list && { processes: list }), host }
    },
  }
}
