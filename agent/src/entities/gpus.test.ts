import { expect, test } from 'vitest'
import { FakeClock } from '../../test/fake-clock.ts'
import { addTo, tree } from '../../test/tree.ts'
import { DeviceFiles } from './device-files.ts'
import { GpuSource } from './gpus.ts'

/** Written by hand after Documentation/gpu/amdgpu and the ABI documents of i915 in the kernel. */
const card = (name: string, driver: string, bus: string, files: Record<string, string>) => ({
  [`class/drm/${name}/device`]: `-> devices/${bus}`,
  [`devices/${bus}/driver`]: `-> bus/drivers/${driver}`,
  [`bus/drivers/${driver}/module`]: '',
  ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`devices/${bus}/${path}`, text])),
})

const AMD = {
  vendor: '0x1002\n',
  device: '0x73bf\n',
  unique_id: '1a2b3c4d5e6f7080\n',
  'power/runtime_status': 'active\n',
  gpu_busy_percent: '37\n',
  mem_info_vram_used: '1073741824\n',
  mem_info_vram_total: '17163091968\n',
  'hwmon/hwmon3/temp1_input': '55000\n',
  'hwmon/hwmon3/power1_average': '98000000\n',
  'hwmon/hwmon3/pwm1': '51\n',
  'hwmon/hwmon3/pwm1_max': '255\n',
}

test('a card of AMD has its use, memory, temperature, power and fan', async () => {
  const root = tree({ ...card('card1', 'amdgpu', '0000:03:00.0', AMD), 'class/drm/card1-DP-1/status': 'connected\n' })
  const clock = new FakeClock()
  const source = new GpuSource(clock, root, new DeviceFiles(clock))
  expect(await source.read(1)).toEqual([
    {
      kind: 'gpu',
      name: 'amdgpu 0000:03:00.0',
      values: {
        utilization_percent: 37,
        memory_used_bytes: 1_073_741_824,
        memory_total_bytes: 17_163_091_968,
        temperature_celsius: 55,
        power_watts: 98,
        fan_percent: 20,
      },
      attributes: { model: '1002:73bf', driver: 'amdgpu', uuid: '1a2b3c4d5e6f7080', bus: '0000:03:00.0' },
    },
  ])
  addTo(root, { 'devices/0000:03:00.0/power/runtime_status': 'suspended\n' })
  expect((await source.read(1))[0]?.values).toEqual({ utilization_percent: 0 })
})

test.each(['gt/gt0/rc6_residency_ms', 'power/rc6_residency_ms'])(
  'a card of Intel is used while it is not switched off, by %s',
  async (path) => {
    const root = tree({
      ...card('card0', 'i915', '0000:00:02.0', { vendor: '0x8086\n', device: '0x46a6\n' }),
      [`class/drm/card0/${path}`]: '100000\n',
    })
    const clock = new FakeClock()
    const source = new GpuSource(clock, root, new DeviceFiles(clock))
    expect((await source.read(60_000))[0]?.values).toEqual({})
    await clock.advance(10_000)
    addTo(root, { [`class/drm/card0/${path}`]: '107500\n' })
    expect((await source.read(60_000))[0]?.values).toEqual({ utilization_percent: 25 })
  },
)

test('cards of other drivers are left out', async () => {
  const clock = new FakeClock()
  const root = tree(card('card0', 'nouveau', '0000:01:00.0', { vendor: '0x10de\n' }))
  expect(await new GpuSource(clock, root, new DeviceFiles(clock)).read(1)).toEqual([])
})
