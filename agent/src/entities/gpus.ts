import { readlinkSync, realpathSync } from 'node:fs'
import { basename } from 'node:path/posix'
import type { Clock } from '../process/clock.ts'
import { type CounterReading, ratePerSecond } from '../samplers/numbers/rates.ts'
import { type DeviceFiles, type ListFolder, listFolder, type ReadFile, toNumber } from './device-files.ts'
import { toReading } from './reading.ts'
import type { EntityReading, EntitySource } from './source.ts'

export const GPU_DRIVERS: ReadonlySet<string> = new Set(['amdgpu', 'i915', 'xe'])
const MS_PER_SECOND = 1_000
const MILLI = 1_000
const MICRO = 1_000_000

/** Where Intel's drivers count the milliseconds in which the first engine group was switched off: newer, older, xe. */
const IDLE_FILES = ['gt/gt0/rc6_residency_ms', 'power/rc6_residency_ms', 'device/tile0/gt0/gtidle/idle_residency_ms']

/** Graphics cards of AMD and Intel, from /sys/class/drm. One that is suspended is not read: that would wake it. */
export class GpuSource implements EntitySource {
  readonly name = 'graphics cards'
  readonly optional = 'gpus'
  readonly #clock: Clock
  readonly #folder: string
  readonly #files: DeviceFiles
  readonly #list: ListFolder
  readonly #idle = new Map<string, CounterReading>()

  constructor(clock: Clock, sysRoot: string, files: DeviceFiles, list: ListFolder = listFolder) {
    this.#clock = clock
    this.#folder = `${sysRoot}/class/drm`
    this.#files = files
    this.#list = list
  }

  async prime(): Promise<void> {
    await this.read(0)
  }

  async read(maxGapMs: number): Promise<EntityReading[]> {
    const readings: EntityReading[] = []
    for (const card of this.#list(this.#folder).filter((name) => /^card\d+$/.test(name))) {
      const folder = `${this.#folder}/${card}`
      const driver = linkName(`${folder}/device/driver`)
      if (driver === undefined || !GPU_DRIVERS.has(driver)) continue
      const reading = await this.#files.device(folder, (file) => this.#card(folder, driver, file, maxGapMs))
      if (reading) readings.push(reading)
    }
    return readings
  }

  async #card(folder: string, driver: string, file: ReadFile, maxGapMs: number): Promise<EntityReading> {
    const device = `${folder}/device`
    const bus = realName(device)
    // The numbers of cards change from boot to boot.
    const name = `${driver} ${bus}`
    const isSuspended = (await file(`${device}/power/runtime_status`)) === 'suspended'
    const ids = [await file(`${device}/vendor`), await file(`${device}/device`)]
    const attributes = {
      model: (await file(`${device}/product_name`)) || ids.map((id) => id?.replace('0x', '')).join(':'),
      driver,
      uuid: await file(`${device}/unique_id`),
      bus,
    }
    if (isSuspended) {
      this.#idle.delete(name)
      return toReading('gpu', name, { utilization_percent: 0 }, attributes)
    }
    const number = async (path: string) => toNumber(await file(`${device}/${path}`))
    const hwmon = `hwmon/${listFolder(`${device}/hwmon`)[0] ?? ''}`
    const [fan, maxFan] = [await number(`${hwmon}/pwm1`), await number(`${hwmon}/pwm1_max`)]
    const microwatts = (await number(`${hwmon}/power1_average`)) ?? (await number(`${hwmon}/power1_input`))
    const millidegrees = await number(`${hwmon}/temp1_input`)
    return toReading(
      'gpu',
      name,
      {
        utilization_percent: (await number('gpu_busy_percent')) ?? (await this.#busyPercent(name, folder, file, maxGapMs)),
        memory_used_bytes: await number('mem_info_vram_used'),
        memory_total_bytes: await number('mem_info_vram_total'),
        temperature_celsius: millidegrees === undefined ? undefined : millidegrees / MILLI,
        power_watts: microwatts === undefined ? undefined : microwatts / MICRO,
        fan_percent: fan === undefined || !maxFan ? undefined : (fan * 100) / maxFan,
      },
      attributes,
    )
  }

  /** The share of the time in which the card was not switched off: an upper bound of its use. */
  async #busyPercent(name: string, folder: string, file: ReadFile, maxGapMs: number): Promise<number | undefined> {
    for (const path of IDLE_FILES) {
      const total = toNumber(await file(`${folder}/${path}`))
      if (total === undefined) continue
      const current = { total, atMs: this.#clock.monotonicMs() }
      const idle = ratePerSecond(this.#idle.get(name), current, maxGapMs)
      this.#idle.set(name, current)
      return idle === undefined ? undefined : Math.min(100, Math.max(0, 100 - (idle * 100) / MS_PER_SECOND))
    }
    return undefined
  }
}

export function linkName(path: string): string | undefined {
  try {
    return basename(readlinkSync(path))
  } catch {
    return undefined
  }
}

function realName(path: string): string {
  try {
    return basename(realpathSync(path))
  } catch {
    return basename(path)
  }
}
