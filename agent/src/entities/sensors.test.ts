import { read, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FakeClock } from '../../test/fake-clock.ts'
import { addTo, tree } from '../../test/tree.ts'
import { DeviceFiles } from './device-files.ts'
import { SensorSource } from './sensors.ts'

/** Written by hand after Documentation/hwmon/sysfs-interface.rst and Documentation/driver-api/thermal of the kernel. */
const HOST = {
  'class/hwmon/hwmon0/name': 'coretemp\n',
  'class/hwmon/hwmon0/temp1_input': '45000\n',
  'class/hwmon/hwmon0/temp1_label': 'Package id 0\n',
  'class/hwmon/hwmon0/temp1_crit': '100000\n',
  'class/hwmon/hwmon1/name': 'nct6779\n',
  'class/hwmon/hwmon1/fan2_input': '1205\n',
  'class/hwmon/hwmon1/in0_input': '1016\n',
  'class/hwmon/hwmon1/temp7_input': '-128000\n',
  'class/hwmon/hwmon1/power1_average': '15250000\n',
  'class/hwmon/hwmon2/name': 'drivetemp\n',
  'class/hwmon/hwmon2/temp1_input': '31000\n',
  'class/thermal/thermal_zone0/type': 'x86_pkg_temp\n',
  'class/thermal/thermal_zone0/temp': '45000\n',
  'class/thermal/thermal_zone1/type': 'soc-thermal\n',
  'class/thermal/thermal_zone1/temp': '38200\n',
  'class/thermal/thermal_zone1/trip_point_0_type': 'passive\n',
  'class/thermal/thermal_zone1/trip_point_0_temp': '80000\n',
  'class/thermal/thermal_zone1/trip_point_1_type': 'critical\n',
  'class/thermal/thermal_zone1/trip_point_1_temp': '110000\n',
}
const nvme = (hwmon: string, device: string, celsius: number) => ({
  [`class/hwmon/${hwmon}/name`]: 'nvme\n',
  [`class/hwmon/${hwmon}/temp1_label`]: 'Composite\n',
  [`class/hwmon/${hwmon}/temp1_input`]: `${celsius}000\n`,
  [`class/hwmon/${hwmon}/device`]: `-> devices/${device}`,
  [`devices/${device}/model`]: 'x\n',
})

function sensorsOf(files: Record<string, string>, readInThread?: typeof read) {
  const clock = new FakeClock()
  const root = tree(files)
  return { clock, root, source: new SensorSource(clock, root, new DeviceFiles(clock, readInThread)) }
}

test('values come in their units, with the limit of the device', async () => {
  expect(await sensorsOf(HOST).source.read()).toEqual([
    {
      kind: 'sensor',
      name: 'coretemp Package id 0',
      values: { temperature_celsius: 45, critical_celsius: 100 },
      attributes: { chip: 'coretemp', label: 'Package id 0', type: 'temperature' },
    },
    { kind: 'sensor', name: 'nct6779 fan2', values: { fan_rpm: 1205 }, attributes: { chip: 'nct6779', type: 'fan' } },
    { kind: 'sensor', name: 'nct6779 in0', values: { voltage_volts: 1.016 }, attributes: { chip: 'nct6779', type: 'voltage' } },
    { kind: 'sensor', name: 'nct6779 power1', values: { power_watts: 15.25 }, attributes: { chip: 'nct6779', type: 'power' } },
    {
      kind: 'sensor',
      name: 'soc-thermal temp',
      values: { temperature_celsius: 38.2, critical_celsius: 110 },
      attributes: { chip: 'soc-thermal', type: 'temperature' },
    },
  ])
})

test('an old driver keeps its files in the folder of the device', async () => {
  const { source } = sensorsOf({
    'class/hwmon/hwmon2/device': '-> devices/applesmc.768',
    'devices/applesmc.768/name': 'applesmc\n',
    'devices/applesmc.768/fan1_input': '1998\n',
    'devices/applesmc.768/fan1_label': 'Left side  \n',
  })
  expect(await source.read()).toMatchObject([{ name: 'applesmc Left side', values: { fan_rpm: 1998 } }])
})

test('an input with a fault, or that is turned off, has no value until it has one again', async () => {
  const { source, root } = sensorsOf({
    'class/hwmon/hwmon0/name': 'nct6775\n',
    'class/hwmon/hwmon0/temp2_input': '127000\n',
    'class/hwmon/hwmon0/temp2_fault': '1\n',
    'class/hwmon/hwmon0/fan1_input': '0\n',
    'class/hwmon/hwmon0/fan1_enable': '0\n',
    'class/hwmon/hwmon0/fan2_input': '900\n',
    'class/hwmon/hwmon0/fan2_fault': '0\n',
  })
  expect(await source.read()).toMatchObject([{ values: { fan_rpm: 900 } }])
  addTo(root, { 'class/hwmon/hwmon0/temp2_input': '42000\n', 'class/hwmon/hwmon0/temp2_fault': '0\n' })
  expect(await source.read()).toMatchObject([{ values: { fan_rpm: 900 } }, { values: { temperature_celsius: 42 } }])
})

test('chips of one name are distinguished by their device, whatever their number at this boot', async () => {
  const names = async (first: string, second: string) =>
    (await sensorsOf({ ...nvme(first, '0000:01:00.0', 40), ...nvme(second, '0000:02:00.0', 50) }).source.read())
      .map(({ name, values }) => `${name}: ${values['temperature_celsius']}`)
      .sort()
  const expected = ['nvme Composite (0000:01:00.0): 40', 'nvme Composite (0000:02:00.0): 50']
  expect(await names('hwmon0', 'hwmon1')).toEqual(expected)
  expect(await names('hwmon5', 'hwmon3')).toEqual(expected)
})

test('a chip that comes or goes is noticed at the next reading, and a value that cannot be read is absent', async () => {
  const { root, source } = sensorsOf(HOST)
  await source.prime()
  addTo(root, nvme('hwmon7', '0000:01:00.0', 40))
  expect((await source.read()).map(({ name }) => name)).toContain('nvme Composite')
  rmSync(join(root, 'class/hwmon/hwmon1/fan2_input'))
  expect((await source.read()).map(({ name }) => name)).not.toContain('nct6779 fan2')
})

test('a device that is suspended is not woken', async () => {
  const status = 'devices/0000:03:00.0/power/runtime_status'
  const { root, source } = sensorsOf({ ...nvme('hwmon0', '0000:03:00.0', 40), [status]: 'active\n' })
  expect(await source.read()).toHaveLength(1)
  addTo(root, { [status]: 'suspended\n' })
  expect(await source.read()).toEqual([])
})

test('a device that never answers costs a second once, and the others are read; with two of them only the processor is', async () => {
  let hung = ''
  let hanging = Promise.withResolvers<void>()
  const readInThread = ((fd: number, ...rest: [Buffer, number, number, number, () => void]) => {
    if (hung !== '' && readlinkSync(`/proc/self/fd/${fd}`).includes(hung)) hanging.resolve()
    else read(fd, ...rest)
  }) as typeof read
  const { clock, source } = sensorsOf({ ...HOST, ...nvme('hwmon8', 'b', 40), ...nvme('hwmon9', 'a', 50) }, readInThread)
  const countWithHung = async (name: string) => {
    hung = name
    hanging = Promise.withResolvers()
    const reading = source.read()
    await hanging.promise
    await clock.advance(1_000)
    return (await reading).length
  }
  expect(await source.read()).toHaveLength(7)
  expect(await countWithHung('hwmon8')).toBe(6)
  // Read again, this one would wait for the clock for ever.
  expect(await source.read()).toHaveLength(6)
  expect(await countWithHung('hwmon9')).toBe(4)
  expect((await source.read()).map(({ name }) => name)).toEqual(['coretemp Package id 0'])
})
