import { closeSync, openSync, read, readdirSync } from 'node:fs'
import { type Clock, settlesWithin } from '../process/clock.ts'
import { KeptFiles } from '../samplers/linux/proc-file.ts'

/** A sensor answers within milliseconds; some wait for their bus. */
const DEVICE_LIMIT_MS = 1_000
/** Node has four threads for such reads; the others must stay free. */
const MAX_HUNG = 2
const MAX_BYTES = 4_096

/** The trimmed content of a file of /proc or /sys; undefined if it cannot be read. One at a time: they share a buffer. */
export type ReadFile = (path: string) => Promise<string | undefined>

/**
 * Files that a driver fills from its device, one device after the other and outside the event loop: a broken disk or bus may never
 * answer. Such a device is left out until it does, and with two of them all are.
 */
export class DeviceFiles {
  readonly #clock: Clock
  readonly #read: typeof read
  readonly #hung = new Set<string>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(clock: Clock, readInThread: typeof read = read) {
    this.#clock = clock
    this.#read = readInThread
  }

  /** What `work` makes of the files of a device; undefined if the device does not answer. */
  device<T>(key: string, work: (file: ReadFile) => Promise<T>): Promise<T | undefined> {
    const turn = this.#last.then(() => this.#device(key, work))
    this.#last = turn.catch(() => undefined)
    return turn
  }

  async #device<T>(key: string, work: (file: ReadFile) => Promise<T>): Promise<T | undefined> {
    if (this.#hung.has(key) || this.#hung.size >= MAX_HUNG) return undefined
    // Not shared: a read that hangs may fill it later.
    const buffer = Buffer.allocUnsafe(MAX_BYTES)
    const working = work((path) => this.#readFile(path, buffer))
    if (await settlesWithin(this.#clock, working, DEVICE_LIMIT_MS)) return working
    this.#hung.add(key)
    const isBack = () => this.#hung.delete(key)
    working.then(isBack, isBack)
    return undefined
  }

  #readFile(path: string, buffer: Buffer): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    let fd: number
    try {
      // Opening does not reach the device.
      fd = openSync(path, 'r')
    } catch {
      return Promise.resolve(undefined)
    }
    this.#read(fd, buffer, 0, buffer.length, 0, (error, length) => {
      closeSync(fd)
      resolve(error ? undefined : buffer.toString('utf8', 0, length).trim())
    })
    return promise
  }
}

/** Names in a folder of /proc or /sys, sorted; empty if there is none. */
export type ListFolder = (path: string) => readonly string[]

/** Lists the folder itself. */
export function listFolder(path: string): string[] {
  try {
    return readdirSync(path).sort()
  } catch {
    return []
  }
}

/** The sources of a push read the number once. */
const SAME_PUSH_MS = 1_000

/**
 * Folders of /sys that list devices. The kernel numbers its events of devices, one at least for each that comes or goes: while the
 * number stays, no folder is listed again. Without it, as in some sandboxes, they are listed each time.
 */
export class DeviceFolders {
  readonly #clock: Clock
  readonly #files: KeptFiles
  readonly #lists = new Map<string, string[]>()
  #events: string | undefined
  #readAtMs = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, sysRoot: string) {
    this.#clock = clock
    this.#files = new KeptFiles(sysRoot)
  }

  readonly list: ListFolder = (path) => {
    this.#dropIfChanged()
    const known = this.#lists.get(path)
    if (known) return known
    const names = listFolder(path)
    if (this.#events !== undefined) this.#lists.set(path, names)
    return names
  }

  /** Before the folder is listed: a device that comes meanwhile changes the number again. */
  #dropIfChanged(): void {
    const nowMs = this.#clock.monotonicMs()
    if (this.#events !== undefined && nowMs - this.#readAtMs < SAME_PUSH_MS) return
    const events = this.#files.read('kernel/uevent_seqnum')
    if (events !== this.#events) this.#lists.clear()
    this.#events = events
    this.#readAtMs = nowMs
  }
}

/** Undefined for a text that is no number. */
export function toNumber(text: string | undefined): number | undefined {
  const value = text === undefined || text === '' ? Number.NaN : Number(text)
  return Number.isFinite(value) ? value : undefined
}
