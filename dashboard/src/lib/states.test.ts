import { describe, expect, it } from 'vitest'
import { groupByTag, shownStatus, type State, tagsOf } from './states.ts'

const monitor = (name: string, status: 'up' | 'down' | 'degraded' | 'paused', tags: string[], waiting = false): State => ({
  id: `mon_${name}`,
  name,
  status,
  tags,
  waiting,
})

describe('groups by tag', () => {
  it('have the worst first, then the name, those without a tag last', () => {
    const groups = groupByTag([
      monitor('a', 'up', ['zebra', 'fine']),
      monitor('b', 'degraded', ['zebra']),
      monitor('c', 'down', ['broken']),
      monitor('d', 'down', []),
      monitor('e', 'up', ['alpha'], true),
    ])
    expect(groups.map(({ tag, total }) => [tag, total])).toEqual([
      ['broken', 1],
      ['zebra', 2],
      ['alpha', 1],
      ['fine', 1],
      [undefined, 1],
    ])
    expect(groups[1]?.counts).toEqual([
      ['degraded', 1],
      ['up', 1],
    ])
    expect(groups[2]?.counts).toEqual([['pending', 1]])
  })

  it('are none of nothing', () => expect(groupByTag([])).toEqual([]))
})

it.each([
  ['online', 'critical', false, 'critical'],
  ['online', 'warning', false, 'warning'],
  ['online', 'info', false, 'online'],
  ['offline', 'critical', false, 'offline'],
  ['offline', 'ok', true, 'pending'],
])('a server that is %s with health %s is shown as such', (status, health, waiting, shown) => {
  expect(shownStatus({ status, health, waiting } as State)).toBe(shown)
})

it('the tags in use are those of monitors and servers, each once', () => {
  const at = '2026-11-23T00:00:00.000Z'
  const servers = [
    { id: 'srv_1', name: 'web', status: 'online' as const, health: 'ok' as const, waiting: false, tags: ['b', 'c'] },
  ]
  const monitors = [{ id: 'mon_1', name: 'shop', status: 'up' as const, waiting: false, tags: ['b', 'a'] }]
  expect(tagsOf({ at, monitors, servers, monitors_total: 1, servers_total: 1 })).toEqual(['a', 'b', 'c'])
})
