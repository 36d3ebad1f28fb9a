import { DAY_MS, HOUR_MS } from '@vedette/shared/durations'
import type { Clock } from '../../process/clock.ts'
import { tryReadText, writeWhole } from '../../process/files.ts'
import { type Log, messageOf } from '../../process/log.ts'
import { toReading } from '../reading.ts'
import type { EntityReading, EntitySource } from '../source.ts'
import { hasApt, type PendingUpdates, readAptUpdates } from './apt.ts'
import { hasDnf, readDnfUpdates } from './dnf.ts'
import { hasPacman, readPacmanUpdates } from './pacman.ts'

/** By the name of the entity; the first that the host has counts. */
const MANAGERS = [
  { name: 'apt', isThere: hasApt, read: readAptUpdates },
  { name: 'dnf', isThere: hasDnf, read: readDnfUpdates },
  { name: 'pacman', isThere: hasPacman, read: readPacmanUpdates },
] as const

/** Lists change once or twice a day. */
const EVERY_MS = 6 * HOUR_MS
/** When the samples of the start are taken and sent. */
const FIRST_AFTER_MS = 120_000

export interface UpdateSources {
  /** Before every path. */
  root: string
  /** Where it is kept since when each update is pending. */
  stateFile: string
}

/** Pending updates of apt, dnf or pacman, from their files alone: no network, no program. Counted every six hours, in the background. */
export class UpdateSource implements EntitySource {
  readonly name = 'updates'
  readonly #clock: Clock
  readonly #log: Log
  readonly #sources: UpdateSources
  readonly #manager: (typeof MANAGERS)[number] | undefined
  #dueMs: number
  #isCounting = false
  #found: (PendingUpdates & { oldestMs: number | undefined }) | undefined

  constructor(clock: Clock, log: Log, sources: UpdateSources) {
    this.#clock = clock
    this.#log = log
    this.#sources = sources
    this.#manager = MANAGERS.find(({ isThere }) => isThere(sources.root))
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
      pending: found.pending.length,
      security: found.security,
      oldest_days: days(found.oldestMs),
      lists_age_days: days(found.listsAtMs),
    }
    return Promise.resolve([toReading('updates', manager.name, values)])
  }

  async #count({ name, read }: (typeof MANAGERS)[number]): Promise<void> {
    this.#isCounting = true
    try {
      const updates = await read(this.#sources.root)
      this.#found = updates && { ...updates, oldestMs: this.#oldest(updates.pending) }
      if (!updates)
        this.#log(
          'info',
          `pending updates are not counted: the lists of ${name} are missing, or their compression is not supported`,
        )
    } catch (error) {
      this.#log('warn', 'cannot count pending updates', { reason: messageOf(error) })
    }
    this.#isCounting = false
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
