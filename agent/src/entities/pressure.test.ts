import { expect, test } from 'vitest'
import { FakeClock } from '../../test/fake-clock.ts'
import { addTo, tree } from '../../test/tree.ts'
import { systemClock } from '../process/clock.ts'
import { PressureSource } from './pressure.ts'

const pressure = (some: number, full: number) =>
  `some avg10=0.00 avg60=0.00 avg300=0.00 total=${some}\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=${full}\n`

test('the share of the time since the previous reading is reported', async () => {
  const clock = new FakeClock()
  const root = tree({ 'pressure/cpu': pressure(5_000_000, 0), 'pressure/io': pressure(100, 50) })
  const source = new PressureSource(clock, root)
  expect(await source.read(60_000)).toEqual([])
  await clock.advance(10_000)
  addTo(root, { 'pressure/cpu': pressure(7_500_000, 0), 'pressure/io': pressure(10_500_100, 50) })
  expect(await source.read(60_000)).toEqual([
    { kind: 'pressure', name: 'cpu', values: { some_percent: 25 } },
    { kind: 'pressure', name: 'io', values: { some_percent: 100, full_percent: 0 } },
  ])
})

test('a counter that went back, and a gap that is too long, give no share', async () => {
  const clock = new FakeClock()
  const root = tree({ 'pressure/memory': pressure(100, 100) })
  const source = new PressureSource(clock, root)
  source.prime()
  await clock.advance(10_000)
  addTo(root, { 'pressure/memory': pressure(50, 200) })
  expect((await source.read(60_000))[0]?.values).toEqual({ full_percent: 0 })
  await clock.advance(60_001)
  expect((await source.read(60_000))[0]?.values).toEqual({})
})

test('the files of this kernel are read', async () => {
  const source = new PressureSource(systemClock, '/proc')
  source.prime()
  for (const { name, values } of await source.read(60_000)) {
    expect(['cpu', 'memory', 'io']).toContain(name)
    expect(values['some_percent']).toBeGreaterThanOrEqual(0)
    expect(values['some_percent']).toBeLessThanOrEqual(100)
  }
})
