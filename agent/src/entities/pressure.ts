import type { Clock } from '../process/clock.ts'
import { KeptFiles } from '../samplers/linux/proc-file.ts'
import { deviceRates, type DeviceReading } from '../samplers/numbers/rates.ts'
import { toReading } from './reading.ts'
import type { EntityReading, EntitySource } from './source.ts'

const RESOURCES = ['cpu', 'memory', 'io'] as const
const MICROSECONDS_PER_PERCENT = 10_000

/** Total microseconds in which some and all tasks waited. Kernels that do not know the latter of cpu write 0: it is left out. */
export function parsePressure(text: string, resource: string): number[] {
  const [some, full] = ['some', 'full'].map((line) => new RegExp(`^${line} .*total=(\\d+)$`, 'm').exec(text)?.[1])
  return some === undefined
    ? []
    : [some, resource === 'cpu' ? undefined : full].filter((total) => total !== undefined).map(Number)
}

/** Pressure stall information from /proc/pressure, as shares of the time since the previous reading. Absent on kernels without it. */
export class PressureSource implements EntitySource {
  readonly name = 'pressure'
  readonly #clock: Clock
  readonly #files: KeptFiles
  #previous: DeviceReading | undefined

  constructor(clock: Clock, procRoot: string) {
    this.#clock = clock
    this.#files = new KeptFiles(procRoot)
  }

  prime(): void {
    this.#previous = this.#totals()
  }

  read(maxGapMs: number): Promise<EntityReading[]> {
    const current = this.#totals()
    const rates = deviceRates(this.#previous, current, maxGapMs)
    this.#previous = current
    const readings = [...rates].map(([resource, perSecond]) => {
      const [some, full] = perSecond.map((rate) =>
        rate === undefined ? undefined : Math.min(100, rate / MICROSECONDS_PER_PERCENT),
      )
      return toReading('pressure', resource, { some_percent: some, full_percent: full })
    })
    return Promise.resolve(readings)
  }

  #totals(): DeviceReading {
    const devices = new Map<string, number[]>()
    const atMs = this.#clock.monotonicMs()
    for (const resource of RESOURCES) {
      const totals = parsePressure(this.#files.read(`pressure/${resource}`) ?? '', resource)
      if (totals.length > 0) devices.set(resource, totals)
    }
    return { atMs, devices }
  }
}
