import { statfs } from 'node:fs'
import type { Filesystem } from '@vedette/shared'
import { type Clock, settlesWithin } from '../../clock.ts'
import { MAX_FILESYSTEMS, MAX_MOUNT_LENGTH } from '@vedette/shared/metrics/limits'
import { roundPercent } from '../../precision.ts'
import { type Mount, parseMountinfo } from './mounts.ts'

/** A local statfs takes microseconds. A disk that has to wake up may take longer than a sample should wait. */
const WAIT_MS = 300
/** Mounts and fills change slowly: samples that follow each other faster than the usual ten seconds tell the last ones again. */
const ASK_EVERY_MS = 4_500
/** A call that is out for longer than this makes its mount stale: its last figures are no longer told. */
const STALE_AFTER_MS = 5_000
/**
 * A hung call keeps a thread of Node's pool for ever, and the pool has four: with two at most, files and names still work
 * when two disks hang. When both are taken, filesystems go stale until a call returns.
 */
const MAX_CALLS = 2

export interface BlockCounts {
  bsize: number
  blocks: number
  bfree: number
  bavail: number
}

export type Statfs = (path: string) => Promise<BlockCounts>

const systemStatfs: Statfs = (path) => {
  const { promise, resolve, reject } = Promise.withResolvers<BlockCounts>()
  statfs(path, (error, counts) => (error ? reject(error) : resolve(counts)))
  return promise
}

/** As `df` tells it: what is kept for root is neither used nor available. Undefined for a filesystem without blocks. */
export function toFilesystem(mount: Mount, counts: BlockCounts): Filesystem | undefined {
  const used = counts.blocks - counts.bfree
  const reachable = used + counts.bavail
  if (counts.blocks <= 0 || reachable <= 0 || used < 0) return undefined
  return {
    mount: mount.path,
    fs_type: mount.fsType,
    used_bytes: used * counts.bsize,
    total_bytes: counts.blocks * counts.bsize,
    percent: roundPercent((used * 100) / reachable),
  }
}

interface Probe {
  mount: Mount
  /** When the call that is out was made; undefined while none is. */
  calledAtMs?: number | undefined
  newest?: Filesystem | undefined
}

/** Asks each local filesystem for its fill, one call at a time per mount. */
export class FilesystemSampler {
  readonly #probes = new Map<string, Probe>()
  readonly #clock: Clock
  readonly #statfs: Statfs
  #mountinfo: string | undefined
  #callsOut = 0
  #nextAskMs = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, statfs: Statfs = systemStatfs) {
    this.#clock = clock
    this.#statfs = statfs
  }

  /** Undefined when the list of mounts cannot be read; it is looked at when the filesystems are asked. */
  async read(readMountinfo: () => string | undefined): Promise<Filesystem[] | undefined> {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs < this.#nextAskMs) return this.#newest()
    const mountinfo = readMountinfo()
    if (mountinfo === undefined) return undefined
    if (mountinfo !== this.#mountinfo) this.#follow(mountinfo)
    this.#nextAskMs = nowMs + ASK_EVERY_MS
    const waiting = [...this.#probes.values()].filter((probe) => probe.calledAtMs === undefined)
    if (waiting.length > 0 && this.#callsOut < MAX_CALLS) {
      const workers = Array.from({ length: MAX_CALLS - this.#callsOut }, () => this.#work(waiting))
      await settlesWithin(this.#clock, Promise.all(workers), WAIT_MS)
    }
    // Whoever was not asked in time is not asked by a worker that comes back much later either.
    waiting.length = 0
    return this.#newest()
  }

  hasCallOut(): boolean {
    return this.#callsOut > 0
  }

  staleMounts(): string[] {
    return [...this.#probes.values()].filter((probe) => this.#isStale(probe)).map((probe) => probe.mount.path)
  }

  async #work(waiting: Probe[]): Promise<void> {
    for (let probe = waiting.shift(); probe; probe = waiting.shift()) await this.#ask(probe)
  }

  async #ask(probe: Probe): Promise<void> {
    probe.calledAtMs = this.#clock.monotonicMs()
    this.#callsOut++
    try {
      probe.newest = toFilesystem(probe.mount, await this.#statfs(probe.mount.path))
    } catch {
      // Unmounted meanwhile, or not ours to see: it has no figures.
      probe.newest = undefined
    }
    this.#callsOut--
    probe.calledAtMs = undefined
  }

  /** Mounts that went are forgotten, unless a call to them is still out: it must be known until it returns. */
  #follow(mountinfoText: string): void {
    this.#mountinfo = mountinfoText
    const mounts = new Map(parseMountinfo(mountinfoText).map((mount) => [`${mount.device} ${mount.path}`, mount]))
    for (const [key, probe] of this.#probes) if (!mounts.has(key) && probe.calledAtMs === undefined) this.#probes.delete(key)
    for (const [key, mount] of mounts) {
      if (!this.#probes.has(key) && mount.path.length <= MAX_MOUNT_LENGTH) this.#probes.set(key, { mount })
    }
  }

  #newest(): Filesystem[] {
    const told: Filesystem[] = []
    for (const probe of this.#probes.values()) if (probe.newest && !this.#isStale(probe)) told.push(probe.newest)
    if (told.length <= MAX_FILESYSTEMS) return told
    return told.sort((a, b) => b.percent - a.percent).slice(0, MAX_FILESYSTEMS)
  }

  #isStale(probe: Probe): boolean {
    return probe.calledAtMs !== undefined && this.#clock.monotonicMs() - probe.calledAtMs >= STALE_AFTER_MS
  }
}
