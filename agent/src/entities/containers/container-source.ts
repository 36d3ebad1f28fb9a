import { totalmem } from 'node:os'
import { type Clock, settlesWithin } from '../../process/clock.ts'
import type { EntityEvent, EntityReading, EntitySource } from '../source.ts'
import { type ContainerEvent, parseDetails, parseList } from './api.ts'
import type { CgroupReader } from './cgroups.ts'
import { type Container, endRun, isRunning, toReading } from './container.ts'
import { parseStats } from './counters.ts'
import { Ends } from './ends.ts'
import { EngineClient } from './engine-client.ts'
import { EventStream } from './event-stream.ts'
import { ImageUpdates } from './image-updates.ts'
import { nameOf } from './names.ts'

/** The list is read again so often even if nothing happened. */
const LIST_EVERY_MS = 300_000
/** Those that run first, then the newest: other kinds need some of the entities of a push too. */
export const MAX_CONTAINERS = 500
/** Of all queries about single containers in one reading; a slow engine answers as many as it can. */
const QUERIES_LIMIT_MS = 1_500
const CONCURRENT_QUERIES = 4

export interface ContainerSourceOptions {
  clock: Clock
  /** Path of the socket, or `tcp://host:port`. */
  address: string
  cgroups: CgroupReader
  /** Of the machine. */
  cores: number
  /** Lines of its log that are sent when a container died. */
  logLines: number
  /** Whether the engine may query registries for newer images. */
  comparesImages: boolean
  /** False while there is no engine, which is no fault. It may throw. */
  isExpected?: () => boolean
}

/** The containers of one engine. Its list follows its events; what containers use is read from their control groups. */
export class ContainerSource implements EntitySource {
  readonly name: string
  readonly optional = 'containers'
  readonly #options: ContainerSourceOptions
  readonly #clock: Clock
  readonly #client: EngineClient
  readonly #events: EventStream
  readonly #ends: Ends
  readonly #images: ImageUpdates | undefined
  #containers = new Map<string, Container>()
  /** Ids of containers that changed since they were described. */
  readonly #changed = new Set<string>()
  #engine = ''
  #listedMs = Number.NEGATIVE_INFINITY
  #isListOld = true
  #isOpen = false

  constructor(options: ContainerSourceOptions) {
    const { clock, address, comparesImages, logLines } = options
    this.name = `containers of ${address}`
    this.#options = options
    this.#clock = clock
    this.#client = new EngineClient(clock, address)
    this.#ends = new Ends({ clock, client: this.#client, logLines, isPodman: () => this.#engine === 'podman' })
    this.#images = comparesImages ? new ImageUpdates(clock, this.#client) : undefined
    this.#events = new EventStream({
      clock,
      client: this.#client,
      onConnect: () => {
        this.#isListOld = true
        for (const id of this.#containers.keys()) this.#changed.add(id)
      },
      onEvent: (event) => this.#note(event),
    })
  }

  watch(report: (event: EntityEvent) => void): void {
    this.#ends.watch(report)
  }

  async prime(): Promise<void> {
    // The first reading reports a fault.
    await this.read(0).catch(() => undefined)
  }

  async read(maxGapMs: number): Promise<EntityReading[]> {
    const { isExpected, cores } = this.#options
    if (isExpected && !this.#isOpen && !isExpected()) return []
    if (!this.#isOpen) this.#events.open()
    this.#isOpen = true
    await this.#refresh()
    if (this.#events.refusal) throw this.#events.refusal
    await this.#queryUsage()
    this.#images?.checkIfDue(this.#running().map(({ summary }) => summary))
    const host = { maxGapMs, cores, memoryBytes: totalmem() }
    const deaths = this.#ends.takeDeaths()
    return [...this.#containers.values()].map((container) => {
      const { summary, called } = container
      const update = isRunning(summary) ? this.#images?.of(summary) : undefined
      return toReading(container, host, { engine: this.#engine, deaths: deaths.get(called.name) ?? 0, update })
    })
  }

  close(): void {
    this.#events.close()
    this.#isOpen = false
    this.#isListOld = true
    for (const container of this.#containers.values()) endRun(container)
    this.#containers = new Map()
  }

  #running(): Container[] {
    return [...this.#containers.values()].filter(({ summary }) => isRunning(summary))
  }

  /** Lists the containers unless nothing can have changed, and describes those that did. */
  async #refresh(): Promise<void> {
    const nowMs = this.#clock.monotonicMs()
    if (this.#isListOld || !this.#events.isConnected || nowMs - this.#listedMs >= LIST_EVERY_MS) {
      // What happens from here on makes the list old again.
      this.#isListOld = false
      await this.#list().catch((error: unknown) => {
        this.#isListOld = true
        throw error
      })
      this.#listedMs = nowMs
    }
    const changed = this.#running().filter(({ details, summary }) => !details || this.#changed.has(summary.id))
    await this.#forEach(changed, (container) => this.#describe(container))
  }

  async #list(): Promise<void> {
    const { json, headers } = await this.#client.getJson('/containers/json?all=1')
    this.#engine = headers['libpod-api-version'] === undefined ? 'docker' : 'podman'
    checkVersion(headers['api-version'])
    const found = parseList(json).sort(
      (a, b) => Number(isRunning(b)) - Number(isRunning(a)) || b.createdSeconds - a.createdSeconds,
    )
    const containers = new Map<string, Container>()
    for (const { labels, ...summary } of found.slice(0, MAX_CONTAINERS)) {
      const known = this.#containers.get(summary.id)
      const container: Container = {
        ...(known ?? { details: undefined, files: undefined, previous: undefined, queried: undefined }),
        summary,
        called: nameOf(summary.name, labels),
        // The list of some versions has no health.
        health: summary.health ?? known?.health,
        exitCode: summary.exitCode ?? known?.exitCode,
      }
      if (!isRunning(summary)) endRun(container)
      containers.set(summary.id, container)
    }
    for (const [id, container] of this.#containers) if (!containers.has(id)) endRun(container)
    this.#containers = containers
    for (const id of this.#changed) if (!containers.has(id)) this.#changed.delete(id)
  }

  async #describe(container: Container): Promise<void> {
    const { id } = container.summary
    this.#changed.delete(id)
    try {
      const { json } = await this.#client.getJson(`/containers/${id}/json`)
      const details = parseDetails(json)
      const { pid, startedAt } = container.details ?? {}
      if (details.pid !== pid || details.startedAt !== startedAt) endRun(container)
      container.details = details
      container.health = details.health ?? container.health
    } catch {
      // It ended meanwhile, or the engine cannot describe it now: the list has its state.
      this.#changed.add(id)
    }
    const { pid = 0, networkMode = 'host' } = container.details ?? {}
    container.files ??= this.#options.cgroups.find(id, pid, !/^(?:host$|container:|ns:)/.test(networkMode))
    // The baseline of its rates.
    container.previous ??= container.files?.read()
  }

  /** The engine is queried only about containers without a control group here. */
  async #queryUsage(): Promise<void> {
    const elsewhere = this.#running().filter(({ files }) => !files)
    await this.#forEach(elsewhere, async (container) => {
      const { json } = await this.#client.getJson(`/containers/${container.summary.id}/stats?one-shot=1&stream=0`)
      container.queried = parseStats(json, this.#clock.monotonicMs())
    })
  }

  /** Calls `work` for some at a time, until the limit. A failed one is left out. */
  async #forEach(containers: readonly Container[], work: (container: Container) => Promise<void>): Promise<void> {
    if (containers.length === 0) return
    const rest = containers.values()
    let isOver = false
    const takeNext = async () => {
      for (const container of rest) {
        if (isOver) return
        await work(container).catch(() => undefined)
      }
    }
    const working = Promise.all(Array.from({ length: CONCURRENT_QUERIES }, takeNext))
    await settlesWithin(this.#clock, working, QUERIES_LIMIT_MS)
    isOver = true
  }

  #note(event: ContainerEvent): void {
    const { id, action, health } = event
    const container = this.#containers.get(id)
    if (action === 'health_status') {
      // Podman repeats it after each check.
      if (health === 'unhealthy' && container?.health !== health) void this.#ends.noteUnhealthy(event)
      if (container) container.health = health
      return
    }
    this.#ends.note(event)
    if (['kill', 'stop', 'oom'].includes(action)) return
    this.#isListOld = true
    this.#changed.add(id)
    if (!container || (action !== 'start' && action !== 'die')) return
    endRun(container)
    if (action === 'die') container.exitCode = event.exitCode
  }
}

/** 1.41 is the first one that answers `one-shot`. A proxy may leave the version out. */
function checkVersion(header: string | string[] | undefined): void {
  const [, version, major, minor] = /^((\d{1,3})\.(\d{1,3}))/.exec(String(header)) ?? []
  if (version === undefined || Number(major) * 1_000 + Number(minor) >= 1_041) return
  throw new Error(`the engine has version ${version} of the API: at least 1.41 is needed`)
}
