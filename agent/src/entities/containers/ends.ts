import { type Clock, pause } from '../../process/clock.ts'
import type { EntityEvent } from '../source.ts'
import { type ContainerEvent, inside, parseDetails, textIn } from './api.ts'
import type { EngineClient } from './engine-client.ts'
import { lastLines } from './log-lines.ts'
import { nameOf } from './names.ts'
import { StopRequests } from './stop-requests.ts'

/** Engines may report only after the end of a container that it was requested, or that the kernel killed. */
const SETTLE_MS = 1_000
/** Of containers that end at the same time; others are reported without what the engine knows. */
const MAX_QUERIES = 10
const QUERY_LIMIT_MS = 2_000
const MAX_LOG_BYTES = 262_144
/** 128 and the number of the signal. */
const [KILLED, TERMINATED] = [137, 143] as const

interface EndsDeps {
  clock: Clock
  client: EngineClient
  /** Lines to send with an event. */
  logLines: number
  isPodman: () => boolean
}

/** Turns events of an engine into those that are sent: a container died, or became unhealthy. Counts the deaths. */
export class Ends {
  readonly #deps: EndsDeps
  readonly #stops = new StopRequests()
  #deaths = new Map<string, number>()
  #queries = 0
  #report: (event: EntityEvent) => void = () => undefined

  constructor(deps: EndsDeps) {
    this.#deps = deps
  }

  watch(report: (event: EntityEvent) => void): void {
    this.#report = report
  }

  /** By name, since the last call. */
  takeDeaths(): ReadonlyMap<string, number> {
    const deaths = this.#deaths
    this.#deaths = new Map()
    return deaths
  }

  note(event: ContainerEvent): void {
    this.#stops.note(event)
    if (event.action === 'die' && event.exitCode !== 0 && !this.#stops.isRequested(event)) void this.#noteDeath(event)
  }

  async noteUnhealthy(event: ContainerEvent): Promise<void> {
    const lines = await this.#query(() => this.#readLines(event.id))
    this.#send(event, { type: 'unhealthy', ...(lines && { lines }) })
  }

  async #noteDeath(event: ContainerEvent): Promise<void> {
    const { exitCode } = event
    const [lines] = await Promise.all([this.#query(() => this.#readLines(event.id)), pause(this.#deps.clock, SETTLE_MS)])
    const isOutOfMemory = await this.#isOutOfMemory(event)
    if (this.#stops.isRequested(event) || (!isOutOfMemory && (await this.#isStopByPodman(event)))) return
    const name = this.#send(event, {
      type: 'died',
      ...(exitCode !== undefined && { exit_code: exitCode }),
      ...(isOutOfMemory && { oom: true }),
      ...(lines && { lines }),
    })
    this.#deaths.set(name, (this.#deaths.get(name) ?? 0) + 1)
  }

  #send({ attributes, id, atMs }: ContainerEvent, what: Pick<EntityEvent, 'type' | 'exit_code' | 'oom' | 'lines'>): string {
    const { name } = nameOf(textIn(attributes, 'name') || id.slice(0, 12), attributes)
    this.#report({ at: new Date(atMs).toISOString(), kind: 'container', name, ...what })
    return name
  }

  async #isOutOfMemory(event: ContainerEvent): Promise<boolean> {
    if (this.#stops.isOutOfMemory(event) || textIn(event.attributes, 'oomKilled') === 'true') return true
    if (event.exitCode !== KILLED) return false
    const details = await this.#query(async () => {
      const { json } = await this.#deps.client.getJson(`/containers/${event.id}/json`, { timeoutMs: QUERY_LIMIT_MS })
      return parseDetails(json)
    })
    return details?.isOomKilled === true
  }

  /** Podman reports few requests as events. From 4.7 on it knows them; before, the usual exit codes say so. */
  async #isStopByPodman({ id, exitCode = 0 }: ContainerEvent): Promise<boolean> {
    const { client, isPodman } = this.#deps
    if (!isPodman()) return false
    if (exitCode === KILLED || exitCode === TERMINATED) return true
    const found = await this.#query(() => client.getJson(`/v4.0.0/libpod/containers/${id}/json`, { timeoutMs: QUERY_LIMIT_MS }))
    return inside(found?.json, 'State', 'StoppedByUser') === true
  }

  async #readLines(id: string): Promise<string[] | undefined> {
    const { client, logLines } = this.#deps
    if (logLines === 0) return undefined
    const { body } = await client.get(`/containers/${id}/logs?stdout=1&stderr=1&tail=${logLines}`, {
      timeoutMs: QUERY_LIMIT_MS,
      maxBytes: MAX_LOG_BYTES,
      isCut: true,
    })
    const lines = lastLines(body, logLines)
    return lines.length > 0 ? lines : undefined
  }

  /** Undefined if it fails: the container may be removed already. */
  async #query<T>(query: () => Promise<T>): Promise<T | undefined> {
    if (this.#queries >= MAX_QUERIES) return undefined
    this.#queries++
    try {
      return await query()
    } catch {
      return undefined
    } finally {
      this.#queries--
    }
  }
}
