import type { Clock } from '../../process/clock.ts'
import { type HostDetails, type HostDetailsReader, toDetails } from '../host-details.ts'
import { HostStateReader, type HostStateSources } from './host-state.ts'
import { ProcessReader } from './process-reader.ts'
import { ProcessWatch } from './process-watch.ts'

/** `includesProcesses` false: the list is sent empty, so that none is shown. `watched`: names of processes that should run. */
export function createLinuxHostDetailsReader(
  clock: Clock,
  includesProcesses: boolean,
  watched: readonly string[],
  sources: HostStateSources & { processes?: ProcessReader | undefined } = {},
): HostDetailsReader {
  const procRoot = sources.procRoot ?? `${sources.root ?? ''}/proc`
  const processes = includesProcesses ? (sources.processes ?? new ProcessReader(clock, procRoot)) : undefined
  const watch = watched.length > 0 ? new ProcessWatch(clock, procRoot, watched) : undefined
  const state = new HostStateReader(clock, sources)
  return {
    prime: async () => void (await processes?.read()),
    read: async (): Promise<HostDetails> => {
      const list = processes ? await processes.read() : []
      const host = await state.read()
      const missing = await watch?.missing()
      return { ...(list && { processes: list }), ...toDetails({ ...host, ...(missing && { missing_processes: missing }) }) }
    },
  }
}
