import type { Clock } from '../process/clock.ts'
import { BackgroundCall } from '../samplers/portable/background-call.ts'
import type { EntityInformation } from '../samplers/portable/systeminformation.ts'
import { printLaunchdJobs, toLaunchdUnits } from './launchd.ts'
import { type MeasuredEntity, toReading } from './reading.ts'
import type { EntityReading, EntitySource } from './source.ts'

/** As for samples: each call starts programs on macOS, and uses the persistent PowerShell on Windows. */
const PACE = { everyMs: 60_000, limitMs: 50_000 }
/** Older results are not sent again. */
const MAX_AGE_MS = 3 * PACE.everyMs

const SECONDS_PER_MINUTE = 60

export interface PortableSourceDeps {
  clock: Clock
  platform: 'darwin' | 'win32'
  load: () => Promise<EntityInformation>
  printJobs?: () => Promise<string>
}

/** Services of Windows by name, jobs of launchd. */
export function createServiceSource(deps: PortableSourceDeps & { units: readonly string[] }): EntitySource {
  const { clock, platform, units, load, printJobs = printLaunchdJobs } = deps
  const names = units.filter((name) => !/[*?[]/.test(name))
  const read =
    platform === 'darwin'
      ? async () => toLaunchdUnits(await printJobs(), units)
      : async () => (names.length === 0 ? [] : toServices(await (await load()).services(names.join(','))))
  return { ...createSource('services', clock, [new BackgroundCall(clock, PACE, read)]), optional: 'units' }
}

/**
 * What systeminformation knows of the entities of macOS and Windows: the battery, and on Windows the temperature that the firmware
 * reports. No graphics cards: the library would block the event loop while it waits for nvidia-smi.
 */
export function createPortableSource(deps: PortableSourceDeps): EntitySource {
  const { clock, platform, load } = deps
  return createSource('systeminformation', clock, [
    new BackgroundCall(clock, PACE, async () => toBattery(await (await load()).battery())),
    ...(platform === 'win32'
      ? [new BackgroundCall(clock, PACE, async () => toTemperature(await (await load()).cpuTemperature()))]
      : []),
  ])
}

function createSource(name: string, clock: Clock, calls: readonly BackgroundCall<EntityReading[]>[]): EntitySource {
  const newest = new Map<number, { value: EntityReading[]; atMs: number }>()
  const startCalls = () => {
    for (const [index, call] of calls.entries()) {
      const result = call.take()
      if (result) newest.set(index, result)
      call.start()
    }
  }
  return {
    name,
    prime: startCalls,
    read: () => {
      startCalls()
      const known = [...newest.values()].filter(({ atMs }) => clock.monotonicMs() - atMs <= MAX_AGE_MS)
      return Promise.resolve(known.flatMap(({ value }) => value))
    },
  }
}

type Answer<Name extends 'battery' | 'cpuTemperature' | 'services'> = Awaited<ReturnType<EntityInformation[Name]>>

/** What the library could not read is 0, -1 or null. */
const positive = (value: number | null | undefined): number | undefined =>
  typeof value === 'number' && value > 0 ? value : undefined

function toBattery(battery: Answer<'battery'>): EntityReading[] {
  if (!battery.hasBattery) return []
  const { percent, isCharging, acConnected, timeRemaining, voltage, designedCapacity, maxCapacity } = battery
  const isOnBattery = !acConnected && !isCharging
  const [full, design] = [positive(maxCapacity), positive(designedCapacity)]
  const minutes = isOnBattery ? positive(timeRemaining) : undefined
  const values: MeasuredEntity<'battery'> = {
    charge_percent: positive(percent),
    runtime_seconds: minutes === undefined ? undefined : minutes * SECONDS_PER_MINUTE,
    on_battery: Number(isOnBattery),
    voltage_volts: positive(voltage),
    health_percent: full === undefined || design === undefined ? undefined : (full * 100) / design,
  }
  const state = isCharging ? 'charging' : isOnBattery ? 'discharging' : 'not charging'
  return [toReading('battery', 'battery', values, { type: 'battery', model: battery.model, state })]
}

function toTemperature({ main }: Answer<'cpuTemperature'>): EntityReading[] {
  const celsius = positive(main)
  if (celsius === undefined) return []
  return [toReading('sensor', 'cpu', { temperature_celsius: celsius }, { type: 'temperature' })]
}

function toServices(services: Answer<'services'>): EntityReading[] {
  return services.map(({ name, running }) =>
    toReading('unit', name, { running: Number(running) }, { state: running ? 'running' : 'stopped' }),
  )
}
