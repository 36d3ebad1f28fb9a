import { DAY_MS, HOUR_MS } from '@vedette/shared/durations'
import type { Clock } from '../../process/clock.ts'
import { tryReadText, writeWhole } from '../../process/files.ts'
import { type Log, messageOf } from '../../process/log.ts'
import { toReading } from '../reading.ts'
import type { EntityReading, EntitySource } from '../source.ts'
import { apt } from './apt.ts'
import { createRunCommand, type RunCommand } from './command.ts'
import { dnf } from './dnf.ts'
import { type PackageManager, readChanges } from './manager.ts'
import { pacman } from './pacman.ts'

/** The first that the host has counts. */
const MANAGERS: readonly PackageManager[] = [apt, dnf, pacman]

/** Lists change once or twice a day. */
export const EVERY_MS = 6 * HOUR_MS
/** When the samples of the start are taken and sent. */
export const FIRST_AFTER_MS = 120_000

export interface UpdateSources {
  /** Before every path. */
  root: string
  /** Where it is kept since when each update is pending. */
  stateFile: string
  run?: RunCommand
}

interface UpdateFigures {
  pending: number
  security: number | undefined
  oldestMs: number | undefined
  listsAtMs: number
}

/**
 * Pending updates, as apt, dnf or pacman itself counts them from the lists that the host has: without network, and nothing is written.
 * Every six hours, in the background, and only if packages, lists or settings have changed.
 */
export class UpdateSource implements EntitySource {
  readonly name = 'updates'
  readonly #clock: Clock
  readonly #log: Log
  readonly #sources: UpdateSources
  readonly #manager: PackageManager | undefined
  readonly #ending = new AbortController()
  readonly #run: RunCommand
  #dueMs: number
  #isCounting = false
  #found: UpdateFigures | undefined
  /** When what `#found` follows from was changed. */
  #changes = ''

  constructor(clock: Clock, log: Log, sources: UpdateSources) {
    this.#clock = clock
    this.#log = log
    this.#sources = sources
    this.#manager = MANAGERS.find(({ isThere }) => isThere(sources.root))
    this.#run = sources.run ?? createRunCommand(this.#ending.signal)
    this.#dueMs = clock.monotonicMs() + FIRST_AFTER_MS
  }

  read(): Promise<EntityReading[]> {
    const nowMs = this.#clock.monotonicMs()
    const [manager, found] = [this.#manager, this.#found]
    if (manager && !this.#isCounting && nowMs >= this.#dueMs) {
      this.#dueMs = nowMs + EVERY_MS
      void this.#count(manager)
    }
    if (!manager || !found) return Promise.resolve([])
    const days = (sinceMs: number | undefined) =>
      sinceMs === undefined ? undefined : Math.max(0, (this.#clock.now() - sinceMs) / DAY_MS)
    const values = {
      pending: found.pending,
      security: found.security,
      oldest_days: days(found.oldestMs),
      lists_age_days: days(found.listsAtMs),
    }
    return Promise.resolve([toReading('updates', manager.name, values)])
  }

  close(): void {
    this.#ending.abort()
  }

  async #count(manager: PackageManager): Promise<void> {
    this.#isCounting = true
    try {
      await this.#countChanged(manager)
    } catch (error) {
      // What was true six hours ago is not said of now.
      this.#found = undefined
      this.#changes = ''
      if (!this.#ending.signal.aborted) this.#log('warn', 'cannot count pending updates', { reason: messageOf(error) })
    }
    this.#isCounting = false
  }

  async #countChanged(manager: PackageManager): Promise<void> {
    const { root } = this.#sources
    const listTimes = await readChanges(await manager.lists(root))
    if (listTimes.length === 0) throw new Error(`${manager.name} has no lists of packages`)
    const changes = JSON.stringify([listTimes, await readChanges(await manager.inputs(root))])
    if (changes === this.#changes) return
    const { pending, security } = await manager.count(this.#run, root)
    this.#found = { pending: pending.length, security, oldestMs: this.#oldest(pending), listsAtMs: Math.max(...listTimes) }
    this.#changes = changes
  }

  /** Since when the oldest of these packages is pending; undefined without any. */
  #oldest(pending: readonly string[]): number | undefined {
    const before = parseSince(tryReadText(this.#sources.stateFile))
    const nowMs = this.#clock.now()
    const since = Object.fromEntries(pending.map((name) => [name, Math.min(nowMs, before.get(name) ?? nowMs)]))
    writeWhole(this.#sources.stateFile, JSON.stringify(since))
    return pending.length > 0 ? Math.min(...Object.values(since)) : undefined
  }
}

/** Empty for a file that is not one of these. */
function parseSince(text: string | undefined): Map<string, number> {
  try {
    const since: unknown = JSON.parse(text ?? '{}')
    return new Map(Object.entries(since ?? {}).filter((entry): entry is [string, number] => typeof entry[1] === 'number'))
  } catch {
    return new Map()
  }
}
