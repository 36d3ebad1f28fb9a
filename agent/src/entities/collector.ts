import { MAX_ENTITIES, MAX_ENTITIES_BYTES, MAX_ENTITY_EVENTS, MAX_EVENT_LINES } from '@vedette/shared/entities/limits'
import { HOUR_MS } from '@vedette/shared/durations'
import type { SourceSwitches } from './switches.ts'
import { ValueBounds } from '../spool/bounds.ts'
import { type Clock, settlesWithin } from '../process/clock.ts'
import { type Log, messageOf } from '../process/log.ts'
import type { EntityEvent, EntityReading, EntitySource } from './source.ts'

/** A source that takes longer is left out of this push. */
const READ_LIMIT_MS = 5_000
/** All attributes are sent again so often: a batch that had them may have been dropped from the spool. */
const ALL_ATTRIBUTES_EVERY_MS = HOUR_MS

export interface CollectorDeps {
  clock: Clock
  log: Log
  sources: readonly EntitySource[]
  /** Absent: nothing is switched off. */
  switches?: Pick<SourceSwitches, 'isOff'>
}

interface SourceState {
  source: EntitySource
  isReading: boolean
  isClosed: boolean
  fault: string | undefined
}

/** Reads the entities of a host once per push, and collects what happens to them in between. */
export class EntityCollector {
  readonly #deps: CollectorDeps
  readonly #sources: SourceState[]
  readonly #bounds: ValueBounds
  readonly #sentAttributes = new Map<string, string>()
  #seenAttributes = new WeakSet<object>()
  #allSentMs = Number.NEGATIVE_INFINITY
  #events: EntityEvent[] = []
  #isCut = false

  /** `onEvent` runs when something happened that should be sent soon. */
  constructor(deps: CollectorDeps, onEvent: () => void = () => undefined) {
    this.#deps = deps
    this.#bounds = new ValueBounds(deps.log)
    this.#sources = deps.sources.map((source) => ({ source, isReading: false, isClosed: false, fault: undefined }))
    for (const source of deps.sources)
      source.watch?.((event) => {
        if (deps.switches?.isOff(source.optional)) return
        const bounded = this.#bounds.event({ ...event, ...(event.lines && { lines: event.lines.slice(-MAX_EVENT_LINES) }) })
        if (!bounded) return
        // The oldest of a storm are the least useful.
        this.#events = [...this.#events, bounded].slice(-MAX_ENTITY_EVENTS)
        onEvent()
      })
  }

  async prime(): Promise<void> {
    const on = this.#sources.filter((entry) => !this.#closeIfOff(entry))
    await Promise.all(on.map(({ source }) => this.#within(source.name, async () => source.prime?.())))
  }

  /** Never throws, and takes at most some seconds. Empty without a source. */
  async read(maxGapMs: number): Promise<EntityReading[]> {
    const found: EntityReading[] = []
    await Promise.all(
      this.#sources.map(async (entry) => {
        if (entry.isReading || this.#closeIfOff(entry)) return
        const own = await this.#readSource(entry, maxGapMs)
        found.push(...own)
      }),
    )
    return this.#bounded(found)
  }

  /** What happened since the last call. */
  takeEvents(): EntityEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }

  /** Events that were in no batch after all. */
  returnEvents(events: readonly EntityEvent[]): void {
    this.#events = [...events, ...this.#events].slice(-MAX_ENTITY_EVENTS)
  }

  /** Whether a source is held by a call that has not returned, as of a stuck driver. */
  hasPendingRead(): boolean {
    return this.#sources.some(({ isReading }) => isReading)
  }

  close(): void {
    for (const { source } of this.#sources) source.close?.()
  }

  /** Whether the source is switched off. It is closed once: its next reading opens it again. */
  #closeIfOff(entry: SourceState): boolean {
    const { source } = entry
    const isOff = this.#deps.switches?.isOff(source.optional) ?? false
    if (isOff && !entry.isClosed) source.close?.()
    entry.isClosed = isOff
    return isOff
  }

  async #readSource(entry: SourceState, maxGapMs: number): Promise<EntityReading[]> {
    const { source } = entry
    let readings: EntityReading[] = []
    const read = async () => {
      try {
        readings = await source.read(maxGapMs)
        entry.fault = undefined
      } catch (error) {
        this.#noteFault(entry, messageOf(error))
      }
      entry.isReading = false
    }
    entry.isReading = true
    if (!(await settlesWithin(this.#deps.clock, read(), READ_LIMIT_MS)))
      this.#noteFault(entry, `no answer within ${READ_LIMIT_MS / 1000} s`)
    return readings
  }

  /** Once until it changes: a socket that is away would fill the log. */
  #noteFault(entry: SourceState, reason: string): void {
    if (entry.fault === reason) return
    entry.fault = reason
    this.#deps.log('warn', `cannot read ${entry.source.name}`, { reason })
  }

  async #within(name: string, work: () => Promise<void> | void): Promise<void> {
    const { clock, log } = this.#deps
    const working = Promise.resolve()
      .then(work)
      .catch((error: unknown) => log('warn', `cannot prepare ${name}`, { reason: messageOf(error) }))
    await settlesWithin(clock, working, READ_LIMIT_MS)
  }

  /** Each name once, cut to what a push takes, with attributes where they changed. */
  #bounded(found: readonly EntityReading[]): EntityReading[] {
    const nowMs = this.#deps.clock.monotonicMs()
    if (nowMs - this.#allSentMs >= ALL_ATTRIBUTES_EVERY_MS) {
      this.#sentAttributes.clear()
      this.#seenAttributes = new WeakSet()
      this.#allSentMs = nowMs
    }
    const names = new Set<string>()
    const kept: EntityReading[] = []
    let bytes = 0
    for (const given of found) {
      const reading = this.#bounds.entity(given)
      const key = `${given.kind}/${reading?.name}`
      if (!reading || names.has(key)) continue
      const cut = this.#withChangedAttributes(key, reading)
      bytes += JSON.stringify(cut).length
      if (kept.length >= MAX_ENTITIES || bytes > MAX_ENTITIES_BYTES) {
        this.#warnOfCut(found.length)
        break
      }
      names.add(key)
      kept.push(cut)
    }
    return kept
  }

  #withChangedAttributes(key: string, { attributes = {}, ...reading }: EntityReading): EntityReading {
    // Sources give the same object while nothing changed.
    if (this.#seenAttributes.has(attributes)) return reading
    this.#seenAttributes.add(attributes)
    const text = JSON.stringify(attributes)
    if ((this.#sentAttributes.get(key) ?? '{}') === text) return reading
    this.#sentAttributes.set(key, text)
    return { ...reading, attributes }
  }

  #warnOfCut(entities: number): void {
    if (this.#isCut) return
    this.#isCut = true
    this.#deps.log('warn', 'this host has more entities than a push takes: the rest is left out', { entities })
  }
}
