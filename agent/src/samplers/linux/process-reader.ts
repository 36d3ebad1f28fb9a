import { availableParallelism } from 'node:os'
import type { Process } from '@vedette/shared'
import type { Clock } from '../../process/clock.ts'
import { tryReadText } from '../../process/files.ts'
import { parseStat } from './cpu.ts'
import { ProcessSampler, type TrackedProcess } from './processes.ts'

/** All processes of a host. Those who read at the same time share one reading, and its baseline. */
export class ProcessReader {
  readonly procRoot: string
  readonly #sampler: ProcessSampler
  #pending: Promise<Process[] | undefined> | undefined

  constructor(clock: Clock, procRoot: string) {
    this.procRoot = procRoot
    this.#sampler = new ProcessSampler(clock, procRoot)
  }

  /** The busiest; undefined if the host hides processes or has too many. */
  read(): Promise<Process[] | undefined> {
    this.#pending ??= this.#read().finally(() => {
      this.#pending = undefined
    })
    return this.#pending
  }

  /** All of the newest reading. */
  all(): Iterable<Readonly<TrackedProcess>> {
    return this.#sampler.all()
  }

  #read(): Promise<Process[] | undefined> {
    const { cores = 0, ticks } = parseStat(tryReadText(`${this.procRoot}/stat`) ?? '') ?? {}
    // All cores of the machine; a limited process may use fewer.
    return this.#sampler.read(cores || availableParallelism(), ticks && ticks.user + ticks.nice + ticks.system)
  }
}
