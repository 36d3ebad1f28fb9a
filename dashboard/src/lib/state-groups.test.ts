import { describe, expect, it } from 'vitest'
import { groupByTag } from './group-by-tag.ts'
import { groupStates, tagKeysOf, tagsOf } from './state-groups.ts'
import { shownStatus, type State } from './states.ts'

const monitor = (name: string, status: 'up' | 'down' | 'degraded' | 'paused', tags: string[], waiting = false): State => ({
  id: `mon_${name}`,
  name,
  status,
  tags,
  waiting,
  since: null,
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

describe('groups of states', () => {
  const states = [
    monitor('a', 'down', ['site:rome', 'prod']),
    monitor('b', 'up', ['site:berlin', 'site:rome']),
    monitor('c', 'up', []),
    monitor('d', 'degraded', ['site:berlin', 'env:test']),
  ]
  const found = (key: string | undefined) =>
    groupStates(states, key).map(({ label, states: of }) => [label, of.map(({ name }) => name).join('')])

  it('are by the values of a key, that with the worst first, those without it last', () =>
    expect(found('site')).toEqual([
      ['rome', 'a'],
      ['berlin', 'bd'],
      [undefined, 'c'],
    ]))

  it('are by whole tags without a key', () =>
    expect(found(undefined)).toEqual([
      ['site:rome', 'a'],
      ['site:berlin', 'bd'],
      [undefined, 'c'],
    ]))

  it('show each thing once, by its first tag', () => {
    const web = monitor('web', 'up', ['prod', 'eu', 'team:shop'])
    for (const key of [undefined, 'team']) expect(groupStates([web], key).flatMap(({ states: of }) => of)).toEqual([web])
  })

  it('are one without tags, and none of nothing', () => {
    expect(found('no such key')).toEqual([[undefined, 'abcd']])
    expect(groupStates([], 'site')).toEqual([])
  })

  it('have the keys of tags with more than one value', () => {
    expect(tagKeysOf(states)).toEqual(['site'])
    expect(tagKeysOf([monitor('a', 'up', [':', 'x:', 'x:1', 'y:z:1', 'y:z:2', 'plain'])])).toEqual(['x', 'y'])
  })
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
    { id: 'srv_1', name: 'web', status: 'online' as const, health: 'ok' as const, waiting: false, since: null, tags: ['b', 'c'] },
  ]
  const monitors = [{ id: 'mon_1', name: 'shop', status: 'up' as const, waiting: false, since: null, tags: ['b', 'a'] }]
  expect(tagsOf({ at, monitors, servers, monitors_total: 1, servers_total: 1 })).toEqual(['a', 'b', 'c'])
})
