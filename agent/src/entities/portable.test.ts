import { expect, test } from 'vitest'
import { FakeClock } from '../../test/fake-clock.ts'
import type { EntityInformation } from '../samplers/portable/systeminformation.ts'
import { createPortableSource, createServiceSource } from './portable.ts'

/** After the source of systeminformation 5.33; no macOS and no Windows was at hand. */
const ANSWERS = {
  battery: {
    hasBattery: true,
    isCharging: false,
    acConnected: false,
    percent: 80,
    timeRemaining: 125,
    voltage: 12.1,
    designedCapacity: 50_000,
    maxCapacity: 45_000,
    model: 'A1',
  },
  cpuTemperature: { main: 47.5 as number | null },
  services: [
    { name: 'spooler', running: true },
    { name: 'w32time', running: false },
  ],
}

function open(
  platform: 'darwin' | 'win32',
  answers: Partial<typeof ANSWERS> = {},
  units = platform === 'win32' ? ['Spooler', 'W32Time', 'net*'] : [],
) {
  const clock = new FakeClock()
  const called: string[] = []
  const answer = <T>(call: string, value: T) => {
    called.push(call)
    return Promise.resolve(value)
  }
  const { battery, cpuTemperature, services } = { ...ANSWERS, ...answers }
  const library: EntityInformation = {
    battery: () => answer('battery', battery),
    cpuTemperature: () => answer('cpuTemperature', cpuTemperature),
    services: (names) => answer(`services ${names}`, services),
  }
  const printJobs = () => answer('launchctl', '\n\tservices = {\n\t 71 - \tnetd\n\t}\n')
  const deps = { clock, platform, load: () => Promise.resolve(library), printJobs }
  const sources = [createPortableSource(deps), ...(units.length > 0 ? [createServiceSource({ ...deps, units })] : [])]
  const source = {
    prime: () => sources.map((each) => each.prime?.()),
    read: async (maxGapMs: number) => (await Promise.all(sources.map((each) => each.read(maxGapMs)))).flat(),
  }
  return { clock, called, source }
}

const BATTERY = {
  kind: 'battery',
  name: 'battery',
  values: { charge_percent: 80, runtime_seconds: 7_500, on_battery: 1, voltage_volts: 12.1, health_percent: 90 },
  attributes: { type: 'battery', model: 'A1', state: 'discharging' },
}

test('Windows has the battery, a temperature and services by name, once a minute', async () => {
  const { clock, called, source } = open('win32')
  void source.prime?.()
  await clock.advance(1_000)
  expect(await source.read(1)).toEqual([
    BATTERY,
    { kind: 'sensor', name: 'cpu', values: { temperature_celsius: 47.5 }, attributes: { type: 'temperature' } },
    { kind: 'unit', name: 'spooler', values: { running: 1 }, attributes: { state: 'running' } },
    { kind: 'unit', name: 'w32time', values: { running: 0 }, attributes: { state: 'stopped' } },
  ])
  await source.read(1)
  expect(called).toEqual(['battery', 'cpuTemperature', 'services Spooler,W32Time'])
})

test('macOS has the battery and the jobs of launchd, which are listed only where some are configured', async () => {
  const { clock, called, source } = open('darwin', {}, ['net*'])
  void source.prime?.()
  await clock.advance(1_000)
  const job = { kind: 'unit', name: 'netd', values: { running: 1, failed: 0 }, attributes: { state: 'running' } }
  expect(await source.read(1)).toEqual([BATTERY, job])
  expect(called.toSorted()).toEqual(['battery', 'launchctl'])
  const without = open('darwin', {}, [])
  void without.source.prime?.()
  await without.clock.advance(1_000)
  expect(await without.source.read(1)).toEqual([BATTERY])
  expect(without.called).toEqual(['battery'])
})

test('what the library could not read is absent', async () => {
  const unread = { ...ANSWERS.battery, acConnected: true, percent: 0, timeRemaining: -1, voltage: 0, maxCapacity: 0 }
  const { clock, source } = open('win32', { battery: unread, cpuTemperature: { main: null } }, [])
  void source.prime?.()
  await clock.advance(1_000)
  expect((await source.read(1)).map(({ values }) => values)).toEqual([{ on_battery: 0 }])
  const without = open('darwin', { battery: { ...unread, hasBattery: false } })
  void without.source.prime?.()
  await without.clock.advance(1_000)
  expect(await without.source.read(1)).toEqual([])
})

test('a result is not sent for longer than three minutes', async () => {
  const { clock, source } = open('darwin')
  void source.prime?.()
  await clock.advance(1_000)
  expect(await source.read(1)).toHaveLength(1)
  await clock.advance(181_000)
  // Starts the next call, whose result is not there yet.
  expect(await source.read(1)).toEqual([])
})
