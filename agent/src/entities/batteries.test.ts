import { expect, test } from 'vitest'
import { FakeClock } from '../../test/fake-clock.ts'
import { tree } from '../../test/tree.ts'
import { BatterySource, parseBattery } from './batteries.ts'
import { DeviceFiles } from './device-files.ts'

/** Written by hand after Documentation/ABI/testing/sysfs-class-power of the kernel. */
const uevent = (properties: Record<string, string | number>) =>
  ['DEVTYPE=power_supply', ...Object.entries(properties).map(([key, value]) => `POWER_SUPPLY_${key}=${value}`)].join('\n')

test('a battery that counts energy, while the host runs on it', () => {
  const text = uevent({
    TYPE: 'Battery',
    STATUS: 'Discharging',
    PRESENT: 1,
    VOLTAGE_NOW: 11_400_000,
    POWER_NOW: 10_000_000,
    ENERGY_FULL_DESIGN: 50_000_000,
    ENERGY_FULL: 40_000_000,
    ENERGY_NOW: 20_000_000,
    CAPACITY: 50,
    MODEL_NAME: '01AV405',
    MANUFACTURER: 'LGC',
  })
  expect(parseBattery('BAT0', text)).toEqual({
    kind: 'battery',
    name: 'BAT0',
    values: {
      charge_percent: 50,
      runtime_seconds: 7_200,
      on_battery: 1,
      voltage_volts: 11.4,
      power_watts: 10,
      health_percent: 80,
    },
    attributes: { type: 'battery', model: 'LGC 01AV405', state: 'discharging' },
  })
})

test('a battery that counts charge, with a current that is negative while it discharges', () => {
  const charge = { CHARGE_FULL_DESIGN: 4_000_000, CHARGE_FULL: 3_000_000, CHARGE_NOW: 1_500_000 }
  const text = uevent({ TYPE: 'Battery', STATUS: 'Discharging', VOLTAGE_NOW: 12_000_000, CURRENT_NOW: -1_500_000, ...charge })
  expect(parseBattery('BAT1', text)?.values).toEqual({
    charge_percent: 50,
    runtime_seconds: 3_600,
    on_battery: 1,
    voltage_volts: 12,
    power_watts: 18,
    health_percent: 75,
  })
  expect(parseBattery('BAT1', text.replace('Discharging', 'Charging'))?.values).toMatchObject({ on_battery: 0 })
  expect(parseBattery('BAT1', text.replace('Discharging', 'Charging'))?.values).not.toHaveProperty('runtime_seconds')
})

test('the type is read from its file where the kernel does not write it into uevent', async () => {
  const root = tree({
    'class/power_supply/BAT0/uevent': uevent({ STATUS: 'Discharging', PRESENT: 1, CAPACITY: 85 }),
    'class/power_supply/BAT0/type': 'Battery\n',
    'class/power_supply/AC/uevent': uevent({ ONLINE: 0 }),
    'class/power_supply/AC/type': 'Mains\n',
    'class/power_supply/X/uevent': uevent({ CAPACITY: 1 }),
  })
  const readings = await new BatterySource(root, new DeviceFiles(new FakeClock())).read()
  expect(readings).toMatchObject([{ name: 'BAT0', values: { charge_percent: 85, on_battery: 1 } }])
})

test('chargers and empty bays are left out, batteries of devices are marked', async () => {
  const root = tree({
    'class/power_supply/AC/uevent': uevent({ TYPE: 'Mains', ONLINE: 1 }),
    'class/power_supply/BAT1/uevent': uevent({ TYPE: 'Battery', PRESENT: 0 }),
    'class/power_supply/hidpp_battery_0/uevent': uevent({ TYPE: 'Battery', SCOPE: 'Device', CAPACITY: 90, STATUS: 'Unknown' }),
  })
  expect(await new BatterySource(root, new DeviceFiles(new FakeClock())).read()).toEqual([
    {
      kind: 'battery',
      name: 'hidpp_battery_0',
      values: { charge_percent: 90 },
      attributes: { type: 'device', state: 'unknown' },
    },
  ])
})
