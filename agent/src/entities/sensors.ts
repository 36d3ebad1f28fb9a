import { realpathSync } from 'node:fs'
import { basename } from 'node:path/posix'
import { HOUR_MS } from '@vedette/shared/durations'
import type { Clock } from '../process/clock.ts'
import { tryReadText } from '../process/files.ts'
import { type DeviceFiles, type ListFolder, listFolder, type ReadFile, toNumber } from './device-files.ts'
import { toReading } from './reading.ts'
import type { EntityReading, EntitySource } from './source.ts'

/** Names and labels are read again after this time, or when a chip came or went. */
const DISCOVERY_MS = HOUR_MS
/** Far above a server with all its voltages. */
const MAX_SENSORS = 256
/** Readings of inputs to which nothing is connected lie outside. */
const PLAUSIBLE_CELSIUS = { min: -60, max: 200 }

/** Chips whose values are registers of the processor: read at once, which costs a third. */
const IN_PROCESSOR = new Set(['coretemp', 'k8temp', 'k10temp', 'zenpower', 'cpu_thermal', 'x86_pkg_temp'])

const TYPES = {
  temp: { type: 'temperature', field: 'temperature_celsius', scale: 1_000 },
  fan: { type: 'fan', field: 'fan_rpm', scale: 1 },
  in: { type: 'voltage', field: 'voltage_volts', scale: 1_000 },
  power: { type: 'power', field: 'power_watts', scale: 1_000_000 },
} as const
/** Power is an instant or a mean, by device. */
const INPUT = /^(temp|fan|in|power)\d+(?=_(?:input|average)$)/

/** Documentation/hwmon/sysfs-interface.rst: a diode that is not there, an input that is turned off. */
const INVALID_IF = [
  { suffix: '_fault', content: '1' },
  { suffix: '_enable', content: '0' },
]

interface Sensor {
  /** Path of the value. */
  path: string
  /** Files that say whether the value means anything, with the content at which it does not. */
  invalidIf: readonly { path: string; content: string }[]
  /** Of its file, as `temp1`. */
  input: string
  type: keyof typeof TYPES
  label: string
  criticalCelsius: number | undefined
}

interface Chip {
  folder: string
  name: string
  /** Path of the device, which distinguishes chips of one name. */
  device: string
  sensors: Sensor[]
  /** Where the device says whether it is suspended; undefined for one that never is. */
  runtimeStatus?: string | undefined
}

/** Temperatures, fans, voltages and power of /sys/class/hwmon, and thermal zones that are not among them. */
export class SensorSource implements EntitySource {
  readonly name = 'sensors'
  readonly #clock: Clock
  readonly #sysRoot: string
  readonly #files: DeviceFiles
  readonly #list: ListFolder
  #chips: { chips: (Chip & { names: string[] })[]; listing: string; atMs: number } | undefined

  constructor(clock: Clock, sysRoot: string, files: DeviceFiles, list: ListFolder = listFolder) {
    this.#clock = clock
    this.#sysRoot = sysRoot
    this.#files = files
    this.#list = list
  }

  async prime(): Promise<void> {
    await this.#discovered()
  }

  async read(): Promise<EntityReading[]> {
    const readings: EntityReading[] = []
    for (const { name: chip, folder, sensors, names, runtimeStatus } of await this.#discovered()) {
      const values = IN_PROCESSOR.has(chip)
        ? sensors.map(({ path }) => tryReadText(path)?.trim())
        : await this.#files.device(folder, (file) => readValues(sensors, runtimeStatus, file))
      for (const [index, { type, label, criticalCelsius, input }] of sensors.entries()) {
        const value = plausible(type, toNumber(values?.[index]))
        if (value === undefined) continue
        const measured = { [TYPES[type].field]: value / TYPES[type].scale, critical_celsius: criticalCelsius }
        const attributes = { chip, label: label === input ? undefined : label, type: TYPES[type].type }
        readings.push(toReading('sensor', names[index] ?? '', measured, attributes))
      }
    }
    return readings
  }

  async #discovered(): Promise<(Chip & { names: string[] })[]> {
    const hwmon = this.#list(`${this.#sysRoot}/class/hwmon`)
    const zones = this.#list(`${this.#sysRoot}/class/thermal`).filter((name) => name.startsWith('thermal_zone'))
    const listing = [...hwmon, ...zones].join(' ')
    const nowMs = this.#clock.monotonicMs()
    const known = this.#chips
    if (known && known.listing === listing && nowMs - known.atMs < DISCOVERY_MS) return known.chips
    const chips = await this.#hwmonChips(hwmon)
    const names = new Set(chips.map(({ name }) => name))
    const bounded = boundSensors([...chips, ...(await this.#zones(zones, names))])
    const named = nameSensors(bounded)
    this.#chips = { chips: named, listing, atMs: nowMs }
    return named
  }

  async #hwmonChips(names: readonly string[]): Promise<Chip[]> {
    const chips: Chip[] = []
    for (const entry of names) {
      const folder = `${this.#sysRoot}/class/hwmon/${entry}`
      const chip = await this.#files.device(folder, async (file): Promise<Chip | undefined> => {
        // Old drivers keep all files in the folder of the device.
        const values = (await file(`${folder}/name`)) === undefined ? `${folder}/device` : folder
        const name = await file(`${values}/name`)
        // A reading of the temperature keeps some disks awake.
        if (name === undefined || name === 'drivetemp') return undefined
        const sensors = await readSensors(values, file)
        const runtimeStatus = `${folder}/device/power/runtime_status`
        const canSuspend = !['unsupported', undefined].includes(await file(runtimeStatus))
        return { folder, name, device: deviceOf(folder), sensors, runtimeStatus: canSuspend ? runtimeStatus : undefined }
      })
      if (chip) chips.push(chip)
    }
    return chips
  }

  /** Zones have a chip of the same name in hwmon, except where a driver chose otherwise. */
  async #zones(entries: readonly string[], chips: ReadonlySet<string>): Promise<Chip[]> {
    const zones: Chip[] = []
    for (const entry of entries) {
      const folder = `${this.#sysRoot}/class/thermal/${entry}`
      const zone = await this.#files.device(folder, async (file): Promise<Chip | undefined> => {
        const name = (await file(`${folder}/type`)) ?? ''
        const isKnown = chips.has(name.replaceAll('-', '_')) || (name === 'x86_pkg_temp' && chips.has('coretemp'))
        if (name === '' || isKnown) return undefined
        const criticalCelsius = await criticalOfZone(folder, file)
        const sensor = {
          path: `${folder}/temp`,
          invalidIf: [],
          input: 'temp',
          type: 'temp',
          label: 'temp',
          criticalCelsius,
        } as const
        return { folder, name, device: entry, sensors: [sensor] }
      })
      if (zone) zones.push(zone)
    }
    return zones
  }
}

async function readValues(
  sensors: readonly Sensor[],
  runtimeStatus: string | undefined,
  file: ReadFile,
): Promise<(string | undefined)[]> {
  const texts: (string | undefined)[] = []
  // Reading would wake it.
  if (runtimeStatus !== undefined && (await file(runtimeStatus)) === 'suspended') return texts
  for (const { path, invalidIf } of sensors) {
    let isValid = true
    for (const { path: about, content } of invalidIf) isValid &&= (await file(about)) !== content
    texts.push(isValid ? await file(path) : undefined)
  }
  return texts
}

async function readSensors(folder: string, file: ReadFile): Promise<Sensor[]> {
  const files = listFolder(folder)
  const sensors: Sensor[] = []
  for (const name of files) {
    const [input, type] = INPUT.exec(name) ?? []
    if (input === undefined || sensors.some((other) => other.input === input)) continue
    const invalidIf = INVALID_IF.filter(({ suffix }) => files.includes(input + suffix))
    const label = (files.includes(`${input}_label`) && (await file(`${folder}/${input}_label`))) || input
    const critical = files.includes(`${input}_crit`) ? toNumber(await file(`${folder}/${input}_crit`)) : undefined
    const criticalCelsius = type === 'temp' ? plausible('temp', critical) : undefined
    sensors.push({
      path: `${folder}/${name}`,
      invalidIf: invalidIf.map(({ suffix, content }) => ({ path: `${folder}/${input}${suffix}`, content })),
      input,
      type: type as keyof typeof TYPES,
      label,
      criticalCelsius: criticalCelsius === undefined || criticalCelsius <= 0 ? undefined : criticalCelsius / TYPES.temp.scale,
    })
  }
  return sensors
}

async function criticalOfZone(folder: string, file: ReadFile): Promise<number | undefined> {
  for (const name of listFolder(folder)) {
    if (!/^trip_point_\d+_type$/.test(name) || (await file(`${folder}/${name}`)) !== 'critical') continue
    const critical = plausible('temp', toNumber(await file(`${folder}/${name.replace('_type', '_temp')}`)))
    return critical === undefined || critical <= 0 ? undefined : critical / TYPES.temp.scale
  }
  return undefined
}

function plausible(type: keyof typeof TYPES, value: number | undefined): number | undefined {
  if (value === undefined || type !== 'temp') return value
  const celsius = value / TYPES.temp.scale
  return celsius >= PLAUSIBLE_CELSIUS.min && celsius <= PLAUSIBLE_CELSIUS.max ? value : undefined
}

/** The number of a hwmon folder changes from boot to boot, the path of its device does not. */
function deviceOf(folder: string): string {
  try {
    return basename(realpathSync(`${folder}/device`))
  } catch {
    return basename(folder)
  }
}

function boundSensors(chips: readonly Chip[]): Chip[] {
  let left = MAX_SENSORS
  return chips.map((chip) => {
    const sensors = chip.sensors.slice(0, left)
    left -= sensors.length
    return { ...chip, sensors }
  })
}

/** Chip and label; where two are the same, with the device and the file of each. */
function nameSensors(chips: readonly Chip[]): (Chip & { names: string[] })[] {
  const ways: ((chip: Chip, sensor: Sensor) => string)[] = [
    ({ name }, { label }) => `${name} ${label}`,
    ({ name, device }, { label }) => `${name} ${label} (${device})`,
    ({ name, device }, { label, input }) => `${name} ${label} (${device}, ${input})`,
  ]
  const counts = new Map<string, number>()
  for (const way of ways)
    for (const chip of chips)
      for (const sensor of chip.sensors) counts.set(way(chip, sensor), (counts.get(way(chip, sensor)) ?? 0) + 1)
  const nameOf = (chip: Chip, sensor: Sensor) => {
    const names = ways.map((way) => way(chip, sensor))
    return names.find((name) => counts.get(name) === 1) ?? names.at(-1) ?? ''
  }
  return chips.map((chip) => ({ ...chip, names: chip.sensors.map((sensor) => nameOf(chip, sensor)) }))
}
