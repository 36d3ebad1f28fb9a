import { describe, expect, it } from 'vitest'
import { describeHostState, interruption, namesOf } from './host-state.ts'

const units = (count: number) => Array.from({ length: count }, (_, index) => `u${index}.service`)

it.each([
  ['web-1: no failed units', 'host.failed_units', 0, ['a.service']],
  ['web-1: 1 failed unit: a.service', 'host.failed_units', 1, ['a.service']],
  ['web-1: 2 failed units: nginx.service, foo.service', 'host.failed_units', 1, ['nginx.service', 'foo.service']],
  ['web-1: 2 failed units', 'host.failed_units', 2, []],
  [
    'web-1: 7 failed units: u0.service, u1.service, u2.service, u3.service, u4.service and 2 more',
    'host.failed_units',
    7,
    units(7),
  ],
  [
    'web-1: 40 failed units: u0.service, u1.service, u2.service, u3.service, u4.service and 35 more',
    'host.failed_units',
    40,
    units(32),
  ],
  ['web-1 needs a restart', 'host.reboot_required', 1, []],
  ['web-1 needs no restart', 'host.reboot_required', 0, []],
  ['web-1: no process is missing', 'host.missing_processes', 0, []],
  ['web-1: process nginx is missing', 'host.missing_processes', 1, ['nginx']],
  ['web-1: a process is missing', 'host.missing_processes', 1, []],
  ['web-1: 2 processes are missing: nginx, postgres', 'host.missing_processes', 2, ['nginx', 'postgres']],
  ['web-1: 2 processes are missing', 'host.missing_processes', 2, []],
])('%s', (expected, metric, value, names) => expect(describeHostState('web-1', metric, value, names)).toBe(expected))

it('the names are those of the metric', () => {
  const host = { failed_units: ['a.service'], missing_processes: ['nginx'], reboot_required: true }
  const metrics = ['host.failed_units', 'host.missing_processes', 'host.reboot_required']
  expect(metrics.map((metric) => namesOf(metric, host))).toEqual([['a.service'], ['nginx'], []])
  expect(metrics.map((metric) => namesOf(metric, undefined))).toEqual([[], [], []])
})

describe('the value that shows whether a condition held is the furthest from it', () => {
  it.each([
    ['greater_than', 0, { least: 0, greatest: 2 }, 0],
    ['less_than', 1, { least: 0, greatest: 2 }, 2],
    ['equals', 1, { least: 1, greatest: 2 }, 2],
    ['equals', 1, { least: 0, greatest: 1 }, 0],
    ['equals', 1, { least: 1, greatest: 1 }, 1],
  ])('%s %d of %j', (operator, value, extremes, expected) => expect(interruption({ operator, value }, extremes)).toBe(expected))
})
