import { describe, expect, it } from 'vitest'
import { type Dependent, findCycle, keyOf } from './graph.ts'

const monitor = (id: string, depends_on: Dependent['depends_on'], tags: string[] = []): Dependent => {
  return { type: 'monitor', id, name: id, tags, depends_on }
}
const server = (id: string, depends_on: Dependent['depends_on'], tags: string[] = []): Dependent => {
  return { ...monitor(id, depends_on, tags), type: 'server' }
}
const on = (...ids: string[]) => ids.map((id) => ({ type: 'monitor' as const, id }))
const cycleOf = (...dependents: Dependent[]) => findCycle(dependents, dependents.map(keyOf))?.map(({ id }) => id)

describe('findCycle', () => {
  it.each([
    ['nothing', []],
    ['a chain', [monitor('a', on('b')), monitor('b', on('c'))]],
    ['two ways to one thing', [monitor('a', on('b', 'c')), monitor('b', on('d')), monitor('c', on('d')), monitor('d', on('e'))]],
    ['a tag that nothing has', [monitor('a', [{ type: 'monitor', tag: 'x' }])]],
    ['a tag of the other type', [monitor('a', [{ type: 'server', tag: 'x' }], ['x'])]],
    ['a server with the id of a monitor', [monitor('a', [{ type: 'server', id: 'a' }])]],
  ])('finds none in %s', (_, dependents) => expect(cycleOf(...dependents)).toBeUndefined())

  it.each([
    ['a thing that depends on itself', [monitor('a', on('a'))], ['a']],
    ['a thing that has the tag that it depends on', [monitor('a', [{ type: 'monitor', tag: 'x' }], ['x'])], ['a']],
    ['three things', [monitor('a', on('b')), monitor('b', on('c')), monitor('c', on('a'))], ['a', 'b', 'c']],
    [
      'monitors and servers, by tags and ids',
      [monitor('a', [{ type: 'server', tag: 'x' }]), server('s', [{ type: 'server', id: 't' }], ['x']), server('t', on('a'))],
      ['a', 's', 't'],
    ],
  ])('names the things of a cycle of %s in order', (_, dependents, expected) => {
    expect(cycleOf(...dependents)).toEqual(expected)
  })

  it('leaves out the things that only lead to the cycle', () => {
    expect(cycleOf(monitor('a', on('b')), monitor('b', on('c')), monitor('c', on('b')))).toEqual(['b', 'c'])
  })

  it('visits 5,000 things that all depend on one tag of all of them once', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => monitor(`m${index}`, [{ type: 'monitor', tag: 'up' }], ['down']))
    expect(cycleOf(...many)).toBeUndefined()
  })
})
