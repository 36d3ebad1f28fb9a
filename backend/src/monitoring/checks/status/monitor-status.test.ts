import type { MonitorStatus, RegionState } from '@vedette/shared'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deriveMonitorStatus, transitionReason, type RegionView } from './monitor-status.ts'

const NOW = 1_000_000_000
const INTERVAL = 60_000
const region = (state: RegionState | null, agoMs = 0): RegionView => ({ state, lastConclusiveAtMs: NOW - agoMs })
const derive = (regions: RegionView[], before: MonitorStatus = 'up') => deriveMonitorStatus(before, regions, INTERVAL, NOW)

describe('a monitor', () => {
  it.each<[string, RegionView[], MonitorStatus]>([
    ['of one region that is up', [region('up')], 'up'],
    ['of one region that is down', [region('down')], 'down'],
    ['of one region that is degraded', [region('degraded')], 'degraded'],
    ['with half of two down', [region('down'), region('up')], 'degraded'],
    ['with both of two down', [region('down'), region('down')], 'down'],
    ['with one of three down', [region('down'), region('up'), region('up')], 'degraded'],
    ['with two of three down', [region('down'), region('down'), region('up')], 'down'],
    ['with two of four down', [region('down'), region('down'), region('up'), region('up')], 'degraded'],
    ['with two down and one degraded of three', [region('down'), region('down'), region('degraded')], 'down'],
    ['with one of each', [region('down'), region('degraded'), region('up')], 'degraded'],
    ['whose third region is silent', [region('down'), region('down', INTERVAL), region('up', 3 * INTERVAL + 1)], 'down'],
    ['whose down regions are silent', [region('down', 3 * INTERVAL + 1), region('up')], 'up'],
    ['whose region spoke just three intervals ago', [region('down', 3 * INTERVAL)], 'down'],
    ['with a region that confirmed nothing yet', [region(null), region('up')], 'up'],
    ['with one down and one that confirmed nothing yet', [region(null), region('down')], 'down'],
  ])('has the status that its regions give it: %s [CHECK-11, CHECK-12, CHECK-13]', (_, regions, status) => {
    expect(derive(regions).status).toBe(status)
    expect(derive(regions, 'degraded').status).toBe(status)
    expect(derive(regions, 'paused').status).toBe('paused')
  })

  it.each<MonitorStatus>(['up', 'down', 'degraded', 'paused'])('that is %s keeps its status while no region counts', (status) => {
    expect(derive([], status).status).toBe(status)
    expect(derive([region('up', 4 * INTERVAL), region('down', 4 * INTERVAL), region(null)], status).status).toBe(status)
    expect(derive([{ state: 'down', lastConclusiveAtMs: null }], status).status).toBe(status)
  })
})

const views = fc.array(
  fc.record({
    state: fc.constantFrom<RegionState | null>('up', 'down', 'degraded', null),
    lastConclusiveAtMs: fc.oneof(fc.constant(null), fc.integer({ min: NOW - 5 * INTERVAL, max: NOW })),
  }),
  { maxLength: 20 },
)
const statuses = fc.constantFrom<MonitorStatus>('up', 'down', 'degraded', 'paused')

describe('a monitor with any states of its regions', () => {
  it('has the same status in any order of regions', () => {
    const shuffled = views.chain((regions) =>
      fc.tuple(fc.constant(regions), fc.shuffledSubarray(regions, { minLength: regions.length })),
    )
    fc.assert(
      fc.property(shuffled, statuses, ([regions, other], before) => {
        expect(derive(other, before)).toEqual(derive(regions, before))
      }),
    )
  })

  it('is down only when more than half of the counted regions are down', () => {
    fc.assert(
      fc.property(views, (regions) => {
        const { status, counted, down } = derive(regions)
        expect(status === 'down').toBe(counted > 0 && down * 2 > counted)
      }),
    )
  })
})

describe('the reason', () => {
  it.each<[RegionView[], string | undefined, string]>([
    [[region('down'), region('down'), region('up')], 'timeout after 10 s', '2 of 3 regions down: timeout after 10 s'],
    [[region('down'), region('degraded'), region('up')], undefined, '1 of 3 regions down, 1 of 3 regions degraded'],
    [[region('up'), region('up')], undefined, '2 of 2 regions up'],
    [[region('down')], 'timeout after 10 s', 'timeout after 10 s'],
    [[region('down')], undefined, 'down'],
    [[region('up')], undefined, 'the checks pass again'],
  ])('of %j with the cause %j', (regions, cause, text) => {
    expect(transitionReason(derive(regions, 'degraded'), cause)).toBe(text)
  })
})
