import { describe, expect, it } from 'vitest'
import { appliesTo, columnsOf, withDefaults, ruleFaults } from './rule.ts'

const memory = { metric: 'memory.percent', operator: 'greater_than', value: 90 } as const
const down = { metric: 'status', operator: 'equals', value: 'down' } as const

describe('the faults of a rule', () => {
  it.each([
    ['', { type: 'server' }, memory, null],
    ['', { type: 'server' }, memory, 90],
    ['', { type: 'server' }, memory, -1],
    ['clear_value', { type: 'server' }, memory, 90.5],
    ['', { type: 'server' }, { ...memory, operator: 'less_than' }, 90],
    ['clear_value', { type: 'server' }, { ...memory, operator: 'less_than' }, 89],
    ['clear_value', { type: 'server' }, { ...memory, operator: 'equals' }, 90],
    ['', { type: 'server' }, { ...memory, operator: 'equals' }, null],
    ['condition.value', { type: 'server' }, { ...memory, value: '90' }, null],
    ['condition.metric', { type: 'monitor' }, memory, null],
    ['condition.metric', { type: 'server' }, { ...memory, metric: 'memory' }, null],
    ['condition.metric', { type: 'server' }, { ...memory, metric: 'constructor' }, null],
    ['condition.mount', { type: 'server' }, { ...memory, mount: '/' }, null],
    ['', { type: 'server' }, { ...memory, metric: 'filesystem.percent', mount: '/' }, null],
    ['', { type: 'monitor' }, down, null],
    ['', { type: 'monitor' }, { ...down, value: 'degraded' }, null],
    ['condition.value', { type: 'monitor' }, { ...down, value: 'offline' }, null],
    ['condition.value', { type: 'server' }, down, null],
    ['', { type: 'server' }, { ...down, value: 'offline' }, null],
    ['condition.operator', { type: 'monitor' }, { ...down, operator: 'less_than' }, null],
    ['clear_value', { type: 'monitor' }, down, 1],
    ['', { type: 'monitor' }, { metric: 'certificate_days', operator: 'less_than', value: 14 }, 20],
    ['target.tag', { type: 'monitor', id: 'mon_x', tag: 'prod' }, down, null],
  ] as const)('%s for %j, %j, clearing at %j [ALERT-03, ALERT-04, ALERT-05]', (path, target, condition, clear_value) => {
    const faults = ruleFaults(withDefaults({ name: 'x', target, condition, clear_value }))
    expect(faults.map((fault) => fault.path)).toEqual(path === '' ? [] : [path])
  })
})

it('a change names the columns of what it names, and no others', () => {
  expect(columnsOf({ enabled: false })).toEqual({ enabled: false })
  expect(columnsOf({ target: { type: 'server', tag: 'a' } })).toEqual({ target_type: 'server', target_id: null, target_tag: 'a' })
  expect(columnsOf({ condition: memory, clear_value: null })).toEqual({
    ...memory,
    mount: null,
    entity_name: null,
    clear_value: null,
    expression: null,
    every_seconds: null,
  })
})

describe('a rule applies', () => {
  const monitor = { type: 'monitor', id: 'a', tags: ['prod', 'shop'] } as const
  it.each([
    [true, 'monitor', null, null],
    [true, 'monitor', 'a', null],
    [false, 'monitor', 'b', null],
    [true, 'monitor', null, 'shop'],
    [false, 'monitor', null, 'sho'],
    [false, 'server', null, null],
    [false, 'server', 'a', null],
  ] as const)('%s: %s, id %s, tag %s [ALERT-02]', (applies, target_type, target_id, target_tag) =>
    expect(appliesTo({ target_type, target_id, target_tag }, monitor)).toBe(applies),
  )
})
