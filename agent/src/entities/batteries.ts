import { type DeviceFiles, type ListFolder, listFolder, toNumber } from './device-files.ts'
import { toReading } from './reading.ts'
import type { EntityReading, EntitySource } from './source.ts'

const SECONDS_PER_HOUR = 3_600
const MICRO = 1e6

/**
 * One battery by its `uevent` file, which has all of its properties, on kernels before 5.x without the `type`, which has a file of its
 * own; undefined for what is no battery.
 */
export function parseBattery(name: string, uevent: string, typeFile?: string): EntityReading | undefined {
  const texts = new Map(
    Array.from(uevent.matchAll(/^POWER_SUPPLY_([A-Z_]+)=(.*)$/gm), ([, key = '', value = '']) => [key, value]),
  )
  const number = (key: string) => toNumber(texts.get(key))
  const type = texts.get('TYPE') ?? typeFile
  if ((type !== 'Battery' && type !== 'UPS') || texts.get('PRESENT') === '0') return undefined
  const status = texts.get('STATUS')
  const isOnBattery = status === 'Discharging'
  const volts = scaled(number('VOLTAGE_NOW'))
  const amperes = scaled(number('CURRENT_NOW'))
  // Some devices count energy, others charge.
  const watts = scaled(number('POWER_NOW')) ?? (volts !== undefined && amperes !== undefined ? volts * amperes : undefined)
  const [now, full, design] = ['NOW', 'FULL', 'FULL_DESIGN'].map((of) => number(`ENERGY_${of}`) ?? number(`CHARGE_${of}`))
  const perHour = number('ENERGY_NOW') === undefined ? amperes : watts
  const hours = now !== undefined && perHour !== undefined && perHour !== 0 ? now / MICRO / Math.abs(perHour) : undefined
  return toReading(
    'battery',
    name,
    {
      charge_percent: number('CAPACITY') ?? share(now, full),
      runtime_seconds: isOnBattery ? (number('TIME_TO_EMPTY_NOW') ?? (hours && hours * SECONDS_PER_HOUR)) : undefined,
      on_battery: status === undefined || status === 'Unknown' ? undefined : Number(isOnBattery),
      voltage_volts: volts,
      power_watts: watts && Math.abs(watts),
      health_percent: share(full, design),
    },
    {
      type: texts.get('SCOPE') === 'Device' ? 'device' : type.toLowerCase(),
      model: [texts.get('MANUFACTURER'), texts.get('MODEL_NAME')].filter(Boolean).join(' '),
      state: status?.toLowerCase(),
    },
  )
}

const scaled = (micro: number | undefined): number | undefined => (micro === undefined ? undefined : micro / MICRO)

function share(part: number | undefined, whole: number | undefined): number | undefined {
  return part !== undefined && whole !== undefined && whole > 0 ? (part * 100) / whole : undefined
}

/** Batteries of the host and of its devices, from /sys/class/power_supply. */
export class BatterySource implements EntitySource {
  readonly name = 'batteries'
  readonly #sysRoot: string
  readonly #files: DeviceFiles
  readonly #list: ListFolder

  constructor(sysRoot: string, files: DeviceFiles, list: ListFolder = listFolder) {
    this.#sysRoot = sysRoot
    this.#files = files
    this.#list = list
  }

  async read(): Promise<EntityReading[]> {
    const readings: EntityReading[] = []
    for (const name of this.#list(`${this.#sysRoot}/class/power_supply`)) {
      const folder = `${this.#sysRoot}/class/power_supply/${name}`
      const reading = await this.#files.device(folder, async (file) => {
        const uevent = await file(`${folder}/uevent`)
        return uevent === undefined ? undefined : parseBattery(name, uevent, await file(`${folder}/type`))
      })
      if (reading) readings.push(reading)
    }
    return readings
  }
}
