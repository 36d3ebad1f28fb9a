import { KeptFiles } from '../samplers/linux/proc-file.ts'
import { toReading } from './reading.ts'
import type { EntityReading, EntitySource } from './source.ts'

export interface LimitSources {
  procRoot: string
  /** False in a container: /proc/sys/net has the figures of the reader's own network. */
  hasNetwork: boolean
}

/** What the kernel has a bounded number of. */
export class LimitSource implements EntitySource {
  readonly name = 'kernel limits'
  readonly #files: KeptFiles
  readonly #hasNetwork: boolean

  constructor({ procRoot, hasNetwork }: LimitSources) {
    this.#files = new KeptFiles(procRoot)
    this.#hasNetwork = hasNetwork
  }

  read(): Promise<EntityReading[]> {
    const [open, , maxOpen] = this.#numbers('sys/fs/file-nr')
    const tasks = /\/(\d+) \d+\s*$/.exec(this.#text('loadavg'))?.[1]
    const maxTasks = [...this.#numbers('sys/kernel/threads-max'), ...this.#numbers('sys/kernel/pid_max')]
    const [connections] = this.#hasNetwork ? this.#numbers('sys/net/netfilter/nf_conntrack_count') : []
    const [maxConnections] = this.#numbers('sys/net/netfilter/nf_conntrack_max')
    const limits = [
      limit('conntrack', connections, maxConnections),
      limit('file_handles', open, maxOpen),
      // Threads count as processes here: each has an id.
      limit(
        'processes',
        tasks === undefined ? undefined : Number(tasks),
        maxTasks.length > 0 ? Math.min(...maxTasks) : undefined,
      ),
    ]
    return Promise.resolve(limits.filter((reading) => reading !== undefined))
  }

  #text(path: string): string {
    return this.#files.read(path) ?? ''
  }

  #numbers(path: string): number[] {
    return (this.#text(path).match(/\d+/g) ?? []).map(Number)
  }
}

function limit(name: string, used: number | undefined, maximum: number | undefined): EntityReading | undefined {
  if (used === undefined) return undefined
  // The highest number of the kernel means that there is no limit.
  const bound = maximum !== undefined && maximum > 0 && maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined
  return toReading('limit', name, { used, maximum: bound, percent: bound && Math.min(100, (used * 100) / bound) })
}
