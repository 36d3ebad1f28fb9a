import { expect, it } from 'vitest'
import { changedFields, conflictingFields } from './edits.ts'

const BASE = { name: 'a', tags: ['x'], interval: 60, body: null as string | null }

it('a change has the fields that differ, with lists compared by their content', () => {
  expect(changedFields(BASE, { ...BASE, tags: ['x'] })).toEqual({})
  expect(changedFields(BASE, { ...BASE, tags: ['x', 'y'], body: 'b' })).toEqual({ tags: ['x', 'y'], body: 'b' })
})

it('two changes conflict where they set the same field to different values', () => {
  expect(conflictingFields<Partial<typeof BASE>>({ name: 'b', interval: 30 }, { name: 'c', tags: [] })).toEqual(['name'])
  expect(conflictingFields<Partial<typeof BASE>>({ name: 'b' }, { name: 'b', interval: 30 })).toEqual([])
})
