import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import type { Clock } from '../../process/clock.ts'
import { tryReadText } from '../../process/files.ts'
import { type CounterReading, ratePerSecond } from '../../samplers/numbers/rates.ts'
import { parseStat } from '../../samplers/linux/cpu.ts'
import { type SystemdBus, type Unit, withSystemd } from '../../samplers/linux/dbus.ts'
import { toTimestamp } from '../../samplers/numbers/precision.ts'
import { toReading } from '../reading.ts'
import type { EntityReading, EntitySource } from '../source.ts'
import { type CgroupFigures, createCgroupReader } from './cgroup.ts'

/** In the order of their names; further ones are left out. */
const MAX_UNITS = 200
const MICROSECONDS_PER_PERCENT = 10_000
/** systemd's value for never. */
const NEVER = 2 ** 64

/** The interface that has the cgroup of a unit, by the end of the unit's name. */
const WITH_CGROUP: Readonly<Record<string, string>> = {
  service: 'Service',
  scope: 'Scope',
  slice: 'Slice',
  socket: 'Socket',
  mount: 'Mount',
  swap: 'Swap',
}
const SUFFIX = /\.(service|scope|slice|socket|mount|swap|timer|path|target|automount|device)$/
const RUNNING = new Set(['active', 'reloading', 'refreshing'])

export interface UnitSources {
  /** Before every path. */
  root: string
  uid?: number
  busPath?: string
}

/** A unit that ran at the previous reading. */
interface TrackedUnit {
  cgroup: string
  restarts: number | undefined
  figures: CgroupFigures
  cpu: CounterReading | undefined
}

/** What of a unit needs further calls. */
interface Details {
  restarts?: number | undefined
  cgroup?: string | undefined
  figures?: CgroupFigures | undefined
  result?: string | undefined
  lastRunMs?: number | undefined
  nextRunMs?: number | undefined
}

/**
 * Units of systemd that match patterns, over the system bus and from the files of their cgroups. A name without a wildcard that is not
 * loaded is listed as one that does not run.
 */
export class UnitSource implements EntitySource {
  readonly name = 'units of systemd'
  readonly optional = 'units'
  readonly #clock: Clock
  readonly #patterns: readonly string[]
  readonly #sources: UnitSources
  readonly #readCgroup: (path: string) => CgroupFigures
  readonly #cores: number
  #tracked = new Map<string, TrackedUnit>()

  constructor(clock: Clock, patterns: readonly string[], sources: UnitSources) {
    this.#clock = clock
    this.#patterns = patterns.map((pattern) => (SUFFIX.test(pattern) ? pattern : `${pattern}.service`))
    this.#sources = sources
    this.#readCgroup = createCgroupReader(`${sources.root}/sys`)
    this.#cores = parseStat(tryReadText(`${sources.root}/proc/stat`) ?? '')?.cores ?? availableParallelism()
  }

  async prime(): Promise<void> {
    await this.read(0)
  }

  async read(maxGapMs: number): Promise<EntityReading[]> {
    const { root, uid = process.getuid?.() ?? 0, busPath = `${root}/run/dbus/system_bus_socket` } = this.#sources
    if (!existsSync(`${root}/run/systemd/system`)) throw new Error('systemd does not run here')
    const listed = await withSystemd(this.#clock, busPath, uid, async (bus) => {
      const units = await bus.listByPatterns(this.#patterns)
      if (!units) return undefined
      const kept = units.sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, MAX_UNITS)
      return Promise.all(kept.map(async (unit) => ({ unit, details: await this.#details(bus, unit) })))
    })
    if (!listed) throw new Error('the system bus does not answer')
    const previous = this.#tracked
    this.#tracked = new Map()
    const readings = listed.map(({ unit, details }) => this.#reading(unit, details, previous.get(unit.name), maxGapMs))
    const names = new Set(listed.map(({ unit }) => unit.name))
    const missing = this.#patterns.filter((pattern) => !/[*?[]/.test(pattern) && !names.has(pattern))
    return [...readings, ...missing.map((name) => toReading('unit', name, { running: 0, failed: 0 }, { state: 'not loaded' }))]
  }

  async #details(bus: SystemdBus, { name, path: unitPath, activeState }: Unit): Promise<Details> {
    const type = SUFFIX.exec(name)?.[1] ?? ''
    if (type === 'timer') return this.#timerDetails(bus, unitPath)
    const of = WITH_CGROUP[type]
    if (of === undefined) return {}
    const isRunning = RUNNING.has(activeState)
    const known = isRunning ? this.#tracked.get(name) : undefined
    const figures = known && this.#readCgroup(known.cgroup)
    // The same cgroup: it was not started again.
    if (known && figures?.inode !== undefined && figures.inode === known.figures.inode) return { ...known, figures }
    const [cgroup, restarts, result] = await Promise.all([
      isRunning ? bus.property(unitPath, of, 'ControlGroup') : undefined,
      type === 'service' ? bus.property(unitPath, of, 'NRestarts') : undefined,
      type === 'service' && !isRunning ? bus.property(unitPath, of, 'Result') : undefined,
    ])
    const path = toText(cgroup)
    return {
      cgroup: path,
      figures: path ? this.#readCgroup(path) : undefined,
      restarts: toNumber(restarts),
      result: toText(result),
    }
  }

  async #timerDetails(bus: SystemdBus, path: string): Promise<Details> {
    const [unit, last, nextByClock, nextSinceBoot] = await Promise.all(
      ['Unit', 'LastTriggerUSec', 'NextElapseUSecRealtime', 'NextElapseUSecMonotonic'].map((name) =>
        bus.property(path, 'Timer', name),
      ),
    )
    const lastRunMs = toInstant(last)
    // What was never started has the result `success` too.
    const isKnown = lastRunMs !== undefined && typeof unit === 'string' && unit.endsWith('.service')
    const result = isKnown ? toText(await bus.property(pathOf(unit), 'Service', 'Result')) : undefined
    const sinceBootMs = toInstant(nextSinceBoot)
    const nextMs = toInstant(nextByClock)
    const nextMonotonicMs = sinceBootMs === undefined ? undefined : this.#clock.now() + sinceBootMs - this.#clock.monotonicMs()
    return { lastRunMs, nextRunMs: nextMs ?? nextMonotonicMs, result }
  }

  #reading(unit: Unit, details: Details, previous: TrackedUnit | undefined, maxGapMs: number): EntityReading {
    const { figures, cgroup, restarts } = details
    const total = figures?.cpuMicroseconds
    const cpu = total === undefined ? undefined : { total, atMs: this.#clock.monotonicMs() }
    if (figures && cgroup) this.#tracked.set(unit.name, { cgroup, restarts, figures, cpu })
    const rate = cpu && ratePerSecond(previous?.cpu, cpu, maxGapMs)
    const isTimer = unit.name.endsWith('.timer')
    return toReading(
      'unit',
      unit.name,
      {
        running: Number(RUNNING.has(unit.activeState)),
        failed: Number(unit.activeState === 'failed'),
        restarts,
        cpu_percent: rate === undefined ? undefined : Math.min(100, rate / MICROSECONDS_PER_PERCENT / this.#cores),
        memory_bytes: figures?.memoryBytes,
        tasks: figures?.tasks,
        last_run_succeeded: isTimer && details.result !== undefined ? Number(details.result === 'success') : undefined,
      },
      {
        state: unit.activeState,
        sub_state: unit.subState,
        description: unit.description,
        load_state: unit.loadState === 'loaded' ? undefined : unit.loadState,
        last_result: details.result,
        next_run_at: toIso(details.nextRunMs),
        last_run_at: toIso(details.lastRunMs),
      },
    )
  }
}

/** systemd's path of a unit: bytes other than letters and digits as `_` and their hexadecimal number; a first digit too. */
function pathOf(name: string): string {
  const encoded = Array.from(Buffer.from(name), (byte, index) => {
    const character = String.fromCharCode(byte)
    return /[a-zA-Z]/.test(character) || (index > 0 && /\d/.test(character))
      ? character
      : `_${byte.toString(16).padStart(2, '0')}`
  })
  return `/org/freedesktop/systemd1/unit/${encoded.join('')}`
}

const toText = (value: string | number | undefined): string | undefined => (typeof value === 'string' ? value : undefined)
const toNumber = (value: string | number | undefined): number | undefined => (typeof value === 'number' ? value : undefined)

/** Milliseconds of microseconds; undefined for 0 and for never. */
function toInstant(value: string | number | undefined): number | undefined {
  return typeof value === 'number' && value > 0 && value < NEVER ? value / 1_000 : undefined
}

/** To the second: what is computed of two clocks would differ by a millisecond each time. */
function toIso(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : toTimestamp(Math.round(ms / 1_000) * 1_000)
}
