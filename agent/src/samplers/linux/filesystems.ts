import { statfs } from 'node:fs'
import type { Filesystem } from '@vedette/shared'
import { type Clock, settlesWithin, yieldToEventLoop } from '../../process/clock.ts'
import { MAX_FILESYSTEMS, MAX_MOUNT_LENGTH } from '@vedette/shared/metrics/limits'
import { roundPercent } from '../numbers/precision.ts'
import { type Mount, parseMountinfo } from './mounts.ts'

/** A local statfs takes microseconds; a sleeping disk may take longer than a sample should wait. */
const WAIT_MS = 300
/** Usage changes slowly: more frequent samples repeat the last values. */
const REFRESH_MS = 4_500
/** The list of mounts, which is long on a host of containers, is read this often, and at once when a filesystem looks like another. */
const MOUNTS_LIFETIME_MS = 59_500
/** A call that is pending for longer makes its mount stale: its last values are no longer reported. */
const STALE_AFTER_MS = 5_000
/**
 * A hung call occupies a thread of Node's pool for ever, and the pool has four: with two at most, files and DNS still work when two
 * disks hang. While both are occupied, filesystems become stale.
 */
const MAX_CALLS = 2

export interface BlockCounts {
  bsize: number
  blocks: number
  bfree: number
  bavail: number
  /** Inodes. */
  files?: number
  ffree?: number
}

export type FilesystemTotals = Required<BlockCounts>

export type Statfs = (path: string) => Promise<BlockCounts>

export const systemStatfs = (path: string): Promise<FilesystemTotals> => {
  const { promise, resolve, reject } = Promise.withResolvers<FilesystemTotals>()
  statfs(path, (error, counts) => (error ? reject(error) : resolve(counts)))
  return promise
}

/** As in `df`: blocks reserved for root are neither used nor available. Undefined for a filesystem without blocks. */
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
    ...inodesOf(counts),
  }
}

/** Filesystems that make inodes as they need them, such as btrfs, say 0. */
function inodesOf({ files = 0, ffree = 0 }: BlockCounts): { inodes_percent?: number } {
  return files > 0 && ffree >= 0 && ffree <= files ? { inodes_percent: roundPercent(((files - ffree) * 100) / files) } : {}
}

interface Probe {
  mount: Mount
  /** Start of the pending call; undefined without one. */
  calledAtMs?: number | undefined
  newest?: Filesystem | undefined
}

/** Reads the usage of each local filesystem, one call at a time per mount. */
export class FilesystemSampler {
  readonly #probes = new Map<string, Probe>()
  readonly #clock: Clock
  readonly #statfs: Statfs
  #mountinfo: string | undefined
  #pendingCalls = 0
  #mountsDueMs = Number.NEGATIVE_INFINITY
  #nextRefreshMs = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, statfs: Statfs = systemStatfs) {
    this.#clock = clock
    this.#statfs = statfs
  }

  /** Undefined if the list of mounts cannot be read. */
  async read(readMountinfo: () => string | undefined): Promise<Filesystem[] | undefined> {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs < this.#nextRefreshMs) return this.#newest()
    if (nowMs >= this.#mountsDueMs && !this.#readMounts(readMountinfo, nowMs)) return undefined
    this.#nextRefreshMs = nowMs + REFRESH_MS
    await this.#refreshAll()
    if (this.#mountsDueMs <= nowMs) {
      // The one that looks like another was unmounted, perhaps: its figures are of the filesystem below it.
      if (!this.#readMounts(readMountinfo, nowMs)) return undefined
      await this.#refreshAll()
    }
    return this.#newest()
  }

  #readMounts(readMountinfo: () => string | undefined, nowMs: number): boolean {
    const mountinfo = readMountinfo()
    if (mountinfo === undefined) return false
    if (mountinfo !== this.#mountinfo) this.#updateMounts(mountinfo)
    this.#mountsDueMs = nowMs + MOUNTS_LIFETIME_MS
    return true
  }

  async #refreshAll(): Promise<void> {
    const waiting = [...this.#probes.values()].filter((probe) => probe.calledAtMs === undefined)
    if (waiting.length === 0 || this.#pendingCalls >= MAX_CALLS) return
    const workers = Array.from({ length: MAX_CALLS - this.#pendingCalls }, () => this.#work(waiting))
    // The calls take microseconds. A timer would wake the process once more, even one that is cancelled.
    await yieldToEventLoop()
    if (this.#pendingCalls > 0) await settlesWithin(this.#clock, Promise.all(workers), WAIT_MS)
    // A worker that returns much later must not continue with the mounts that were not read in time.
    waiting.length = 0
  }

  hasPendingCall(): boolean {
    return this.#pendingCalls > 0
  }

  staleMounts(): string[] {
    return [...this.#probes.values()].filter((probe) => this.#isStale(probe)).map((probe) => probe.mount.path)
  }

  async #work(waiting: Probe[]): Promise<void> {
    for (let probe = waiting.shift(); probe; probe = waiting.shift()) await this.#refresh(probe)
  }

  async #refresh(probe: Probe): Promise<void> {
    probe.calledAtMs = this.#clock.monotonicMs()
    this.#pendingCalls++
    try {
      const newest = toFilesystem(probe.mount, await this.#statfs(probe.mount.path))
      if (probe.newest && newest?.total_bytes !== probe.newest.total_bytes) this.#mountsDueMs = Number.NEGATIVE_INFINITY
      probe.newest = newest
    } catch {
      // Unmounted meanwhile, or no permission.
      if (probe.newest) this.#mountsDueMs = Number.NEGATIVE_INFINITY
      probe.newest = undefined
    }
    this.#pendingCalls--
    probe.calledAtMs = undefined
  }

  /** Removes unmounted filesystems, except while a call to them is pending. */
  #updateMounts(mountinfoText: string): void {
    this.#mountinfo = mountinfoText
    const mounts = new Map(parseMountinfo(mountinfoText).map((mount) => [`${mount.device} ${mount.path}`, mount]))
    for (const [key, probe] of this.#probes) if (!mounts.has(key) && probe.calledAtMs === undefined) this.#probes.delete(key)
    for (const [key, mount] of mounts) {
      if (!this.#probes.has(key) && mount.path.length <= MAX_MOUNT_LENGTH) this.#probes.set(key, { mount })
    }
  }

  #newest(): Filesystem[] {
    const filesystems: Filesystem[] = []
    for (const probe of this.#probes.values()) if (probe.newest && !this.#isStale(probe)) filesystems.push(probe.newest)
    if (filesystems.length <= MAX_FILESYSTEMS) return filesystems
    return filesystems.sort((a, b) => b.percent - a.percent).slice(0, MAX_FILESYSTEMS)
  }

  #isStale(probe: Probe): boolean {
    return probe.calledAtMs !== undefined && this.#clock.monotonicMs() - probe.calledAtMs >= STALE_AFTER_MS
  }
}
