import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { DAY_MS } from '@vedette/shared/durations'
import type { Clock } from '../process/clock.ts'
import { type Log, messageOf } from '../process/log.ts'
import { FaultLog } from './fault-log.ts'
import { toReading } from './reading.ts'
import type { EntityReading, EntitySource } from './source.ts'

/** The units run every half hour: after a day they do no more. */
const MAX_AGE_MS = DAY_MS
const MAX_DISKS = 128
const MAX_FILE_BYTES = 262_144
/** Attributes of ATA disks, whose numbers all makers share. */
const REALLOCATED = 5
const UNCORRECTABLE = 187
const PENDING = 197
/** Attributes of SSDs whose normalized value is what is left of their life, in percent: the names that smartctl gives them. */
const LIFE_LEFT =
  /^(?:Percent_Life(?:time)?_Remain(?:ing)?|SSD_Life_Left|Media_Wearout_Indicator|Remaining_Lifetime_Perc|Drive_Life_Remaining%)$/
/** The same of Samsung alone; elsewhere it counts something else. */
const SAMSUNG_LIFE_LEFT = 'Wear_Leveling_Count'

/** One disk by the output of `smartctl --json -i -H -A`; undefined if it has no health. Throws if it is no JSON. */
export function parseSmart(text: string, fallbackName: string): EntityReading | undefined {
  const root = new Json(JSON.parse(text))
  const at = (...path: string[]) => path.reduce((json, key) => json.get(key), root)
  const passed = at('smart_status', 'passed').boolean
  const nvme = at('nvme_smart_health_information_log')
  const attributes = at('ata_smart_attributes', 'table').items
  const raw = (id: number) => countOf(attributes.find((attribute) => attribute.get('id').number === id)?.get('raw'))
  const temperature = at('temperature', 'current').number
  if (passed === undefined && temperature === undefined) return undefined
  const model = at('model_name').text ?? at('scsi_model_name').text
  const serial = at('serial_number').text
  const errors = ['read', 'write', 'verify'].map((way) => at('scsi_error_counter_log', way, 'total_uncorrected_errors').number)
  const scsiErrors = errors.some((count) => count !== undefined)
    ? errors.reduce<number>((sum, count) => sum + (count ?? 0), 0)
    : undefined
  return toReading(
    'disk',
    // The names of devices change with the order in which they are found.
    serial === undefined ? fallbackName : `${model ?? 'disk'} ${serial}`,
    {
      healthy: passed === undefined ? undefined : Number(passed),
      temperature_celsius: temperature,
      power_on_hours: at('power_on_time', 'hours').number,
      reallocated_sectors: raw(REALLOCATED) ?? at('scsi_grown_defect_list').number,
      pending_sectors: raw(PENDING),
      media_errors: nvme.get('media_errors').number ?? raw(UNCORRECTABLE) ?? scsiErrors,
      used_percent:
        nvme.get('percentage_used').number ??
        at('endurance_used', 'current_percent').number ??
        at('scsi_percentage_used_endurance_indicator').number ??
        wearOf(attributes, `${at('model_family').text} ${model}`),
      spare_percent: nvme.get('available_spare').number ?? at('spare_available', 'current_percent').number,
      size_bytes: at('user_capacity', 'bytes').number ?? at('nvme_total_capacity').number,
    },
    {
      model,
      serial,
      firmware: at('firmware_version').text ?? at('scsi_revision').text,
      protocol: at('device', 'protocol').text,
      state: passed === undefined ? undefined : passed ? 'passed' : 'failed',
    },
  )
}

/**
 * The count of an ATA attribute. Makers pack other counters into the upper bytes of its 48 bits; smartctl then writes the count first and
 * the others in brackets. Undefined where the text has another form.
 */
function countOf(raw: Json | undefined): number | undefined {
  const text = raw?.get('string').text
  const count = text === undefined ? raw?.get('value').number : toCount(/^(\d+)(?: \(.*\))?$/.exec(text)?.[1])
  // No disk has as many sectors to spare: it is packed in a way that smartctl does not know.
  return count !== undefined && count >= 0 && count < 2 ** 32 ? count : undefined
}

const toCount = (digits: string | undefined): number | undefined => (digits === undefined ? undefined : Number(digits))

/** Percent of the life of an SSD on SATA that is used. */
function wearOf(attributes: readonly Json[], about: string): number | undefined {
  const isSamsung = /samsung/i.test(about)
  const left = attributes
    .find((attribute) => {
      const name = attribute.get('name').text ?? ''
      return LIFE_LEFT.test(name) || (isSamsung && name === SAMSUNG_LIFE_LEFT)
    })
    ?.get('value').number
  return left !== undefined && left >= 0 && left <= 100 ? 100 - left : undefined
}

/** A part of a JSON text of any shape. */
class Json {
  readonly #value: unknown

  constructor(value: unknown) {
    this.#value = value
  }

  get(key: string): Json {
    const isObject = typeof this.#value === 'object' && this.#value !== null && Object.hasOwn(this.#value, key)
    return new Json(isObject ? (this.#value as Record<string, unknown>)[key] : undefined)
  }

  get items(): Json[] {
    return Array.isArray(this.#value) ? this.#value.map((item) => new Json(item)) : []
  }

  get number(): number | undefined {
    return typeof this.#value === 'number' ? this.#value : undefined
  }

  get text(): string | undefined {
    return typeof this.#value === 'string' && this.#value !== '' ? this.#value : undefined
  }

  get boolean(): boolean | undefined {
    return typeof this.#value === 'boolean' ? this.#value : undefined
  }
}

interface Disk {
  inode: number
  reading: EntityReading | undefined
}

/** Health of disks, from the files that vedette-smart.service writes: the agent itself starts no program and opens no disk. */
export class SmartSource implements EntitySource {
  readonly name = 'health of disks'
  readonly optional = 'disks'
  readonly #clock: Clock
  readonly #faults: FaultLog
  readonly #folder: string
  /** By file; parsed again when it was replaced. */
  #disks = new Map<string, Disk>()

  constructor(clock: Clock, log: Log, folder: string) {
    this.#clock = clock
    this.#faults = new FaultLog(log)
    this.#folder = folder
  }

  async read(): Promise<EntityReading[]> {
    this.#faults.begin()
    const names = (await readdir(this.#folder)).filter((name) => name.endsWith('.json')).sort()
    const disks = new Map<string, Disk>()
    for (const name of names.slice(0, MAX_DISKS)) {
      try {
        const disk = await this.#readDisk(name)
        if (disk) disks.set(name, disk)
      } catch (error) {
        this.#faults.add(`cannot read the health of a disk from ${name}`, { reason: messageOf(error) })
      }
    }
    this.#disks = disks
    return [...disks.values()].flatMap(({ reading }) => reading ?? [])
  }

  async #readDisk(name: string): Promise<Disk | undefined> {
    const file = await open(`${this.#folder}/${name}`, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const { ino, size, mtimeMs } = await file.stat()
      const known = this.#disks.get(name)
      if (this.#clock.now() - mtimeMs > MAX_AGE_MS) return undefined
      if (known?.inode === ino) return known
      if (size > MAX_FILE_BYTES) throw new Error(`is larger than ${MAX_FILE_BYTES} bytes`)
      return { inode: ino, reading: parseSmart(await file.readFile('utf8'), name.replace(/\.json$/, '')) }
    } finally {
      await file.close()
    }
  }
}
