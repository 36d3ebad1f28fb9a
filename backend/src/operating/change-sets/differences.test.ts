import { CONFIGURATION_KINDS } from '@vedette/shared'
import { expect, it } from 'vitest'
import { ID_KINDS, UNORDERED } from './declarations.ts'
import { differencesBetween } from './differences.ts'

it('every kind of the configuration is declared by a resource', () => {
  expect(Object.keys(ID_KINDS).toSorted()).toEqual(CONFIGURATION_KINDS.toSorted())
})

it('the fields whose order has no meaning are those that have nothing twice', () => {
  // A new one is here by itself: say whether its order has a meaning.
  const names = ['burn_alerts', 'channel_ids', 'email_domains', 'group_by', 'regions', 'sources_off', 'tag_labels', 'tags']
  expect([...UNORDERED].toSorted()).toEqual(names)
})

it.each([
  ['tags in another order', { tags: ['a', 'b'] }, { tags: ['b', 'a'] }, []],
  ['another tag', { tags: ['a', 'b'] }, { tags: ['b', 'c'] }, ['/tags']],
  [
    'monitors of a section in another order',
    { sections: [{ monitors: ['a', 'b'] }] },
    { sections: [{ monitors: ['b', 'a'] }] },
    ['/sections'],
  ],
  ['layers in another order', { layers: [{ users: ['a'] }, {}] }, { layers: [{}, { users: ['a'] }] }, ['/layers']],
])('%s differ where their order has a meaning', (_, before, after, paths) => {
  expect(differencesBetween(before, after).map(({ path }) => path)).toEqual(paths)
})
