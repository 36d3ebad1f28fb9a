import { afterAll, describe, expect, it } from 'vitest'
import { isMissing } from '../../../scripts/test-tools.ts'
import { buildNvml } from '../../test/nvml.ts'
import { tree } from '../../test/tree.ts'
import { NvidiaSource } from './nvidia.ts'

describe.skipIf(isMissing('gcc'))('cards of NVIDIA', () => {
  const procRoot = tree({ 'driver/nvidia/version': 'NVRM version\n', '71/comm': 'python3\n', '72/comm': 'python3\n' })
  const sources: NvidiaSource[] = []
  const source = (defines: Parameters<typeof buildNvml>[0] = {}, root = procRoot) => {
    const made = new NvidiaSource({ library: buildNvml(defines), procRoot: root })
    sources.push(made)
    return made
  }
  afterAll(() => sources.forEach((each) => each.close()))

  it('are read without what an older driver has no function for', async () => {
    const cards = await source({ VERSION: '_none' }).read()
    expect(cards).toMatchObject([{ values: { temperature_celsius: 61 } }, { values: { temperature_celsius: 61 } }])
    expect(cards[0]?.attributes).not.toHaveProperty('processes')
  })

  it('have their use, memory, temperature, power, fan and processes, by their UUID', async () => {
    const cards = source()
    const values = {
      utilization_percent: 37,
      memory_used_bytes: 8_589_934_592,
      memory_total_bytes: 25_757_220_864,
      temperature_celsius: 61,
      power_watts: 245.5,
    }
    const driver = 'nvidia 560.35.03'
    const expected = [
      {
        kind: 'gpu',
        name: 'GPU-1f2e',
        values: { ...values, fan_percent: 42 },
        attributes: {
          model: 'NVIDIA GeForce RTX 4090',
          driver,
          uuid: 'GPU-1f2e',
          bus: '00000000:01:00.0',
          processes: 'python3 7000 MB, pid 99 250 MB',
        },
      },
      {
        kind: 'gpu',
        name: 'GPU-9a8b',
        values,
        attributes: { model: 'NVIDIA H100 PCIe', driver, uuid: 'GPU-9a8b', bus: '00000000:41:00.0' },
      },
    ]
    expect(await cards.read()).toEqual(expected)
    expect(await cards.read()).toEqual(expected)
    for (const VERSION of ['_v2', ''] as const) expect(await source({ VERSION }).read()).toEqual(expected)
  })

  it('are not looked for without the driver, and one that does not start is an error', async () => {
    expect(await source({}, tree({ '71/comm': '' })).read()).toEqual([])
    await expect(source({ INIT: 9 }).read()).rejects.toThrow('NVML does not start: error 9')
    const missing = new NvidiaSource({ library: '/nonexistent/libnvidia-ml.so.1', procRoot })
    sources.push(missing)
    await expect(missing.read()).rejects.toThrow(/libnvidia-ml|dlopen/i)
  })
})
