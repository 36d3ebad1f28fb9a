import { availableParallelism } from 'node:os'
import type { Process } from '@vedette/shared'
import type { Clock } from '../../process/clock.ts'
import { parseStat } from './cpu.ts'
import { KeptFiles } from './proc-file.ts'
import { ProcessSampler, type TrackedProcess } from './processes.ts'

/** All processes of a host. Those who read at the same time share one reading, and its baseline. */
export class ProcessReader {
  readonly procRoot: string
  readonly #sampler: ProcessSampler
  readonly #files: KeptFiles
  #pending: Promise<Process[] | undefined> | undefined

  constructor(clock: Clock, procRoot: string) {
    this.procRoot = procRoot
    this.#sampler = new ProcessSampler(clock, procRoot)
    this.#files = new KeptFiles(procRoot)
  }

  /** The busiest; undefined if the host hides processes or has too many. */
  read(): Promise<Process[] | undefined> {
    this.#pending ??= this.#read().finally(() => {
      this.#pending = undefined
    })
    return this.#pending
  }

  /** All of the newest reading. */
  all(): readonly Readonly<TrackedProcess>[] {
    return this.#sampler.all()
  }

  #read(): Promise<Process[] | undefined> {
    const { cores = 0, ticks } = parseStat(this.#files.read('stat') ?? '') ?? {}
    // All cores of the machine; a limited process may use fewer.
    return this.#sampler.read(cores || availableParallelism(), ticks && ticks.user + ticks.nice + ticks.system)
  }
}
