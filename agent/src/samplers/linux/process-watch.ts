import { type Clock, yieldToEventLoop } from '../../process/clock.ts'
import { tryReadText } from '../../process/files.ts'
import { listPids, SLICE_MS, toCommand } from './processes.ts'

interface WatchedProcess {
  name: string
  /** The name as the kernel keeps it. */
  command: string
  /** A process of this name at the last reading. */
  pid: number | undefined
}

/** Finds out which of some processes do not run. As long as all run it reads one small file of each. */
export class ProcessWatch {
  readonly #clock: Clock
  readonly #procRoot: string
  readonly #watched: WatchedProcess[]

  constructor(clock: Clock, procRoot: string, names: readonly string[]) {
    this.#clock = clock
    this.#procRoot = procRoot
    this.#watched = names.map((name) => ({ name, command: toCommand(name), pid: undefined }))
  }

  /** Names of those that do not run; undefined if the host hides processes or has too many. */
  async missing(): Promise<string[] | undefined> {
    for (const one of this.#watched) if (one.pid !== undefined && this.#commandOf(one.pid) !== one.command) one.pid = undefined
    // Twice: a process that is replaced while the others are read has neither its old pid nor a listed one.
    for (let attempt = 0; attempt < 2 && this.#missing().length > 0; attempt++) {
      const pids = listPids(this.#procRoot)
      if (!pids) return undefined
      await this.#find(pids)
    }
    return this.#missing().map(({ name }) => name)
  }

  #missing(): WatchedProcess[] {
    return this.#watched.filter(({ pid }) => pid === undefined)
  }

  async #find(pids: readonly string[]): Promise<void> {
    let missing = this.#missing()
    let sliceEndMs = this.#clock.monotonicMs() + SLICE_MS
    for (const pid of pids) {
      if (missing.length === 0) return
      const command = this.#commandOf(Number(pid))
      for (const one of missing) if (one.command === command) one.pid = Number(pid)
      missing = this.#missing()
      if (this.#clock.monotonicMs() < sliceEndMs) continue
      await yieldToEventLoop()
      sliceEndMs = this.#clock.monotonicMs() + SLICE_MS
    }
  }

  /** Undefined if the process has ended; of a zombie only its entry is left. */
  #commandOf(pid: number): string | undefined {
    const text = tryReadText(`${this.#procRoot}/${pid}/stat`) ?? ''
    const close = text.lastIndexOf(')')
    return close < 0 || /[ZXx]/.test(text.charAt(close + 2)) ? undefined : toCommand(text.slice(text.indexOf('(') + 1, close))
  }
}
