import { describe, expect, it } from 'vitest'
import { createNumberTable } from './number-table.ts'

describe('a table of numbers', () => {
  it('keeps the numbers of each key apart, however many there are', () => {
    const table = createNumberTable(['sum', 'atMs'])
    for (let key = 0; key < 1_000; key += 1) {
      const row = table.add(`key ${key}`)
      table.set(row, 'sum', key)
      table.set(row, 'atMs', 1.7e12 + key)
    }
    const read = (key: number) => {
      const row = table.rowOf(`key ${key}`) as number
      return [table.keyOf(row), table.get(row, 'sum'), table.get(row, 'atMs')]
    }
    expect([read(0), read(517), read(999)]).toEqual([0, 517, 999].map((key) => [`key ${key}`, key, 1.7e12 + key]))
    expect(table.size).toBe(1_000)
  })

  it('gives the row of a key that is gone to another, with nothing in it', () => {
    const table = createNumberTable(['sum'])
    for (const key of ['one', 'other']) table.set(table.add(key), 'sum', 7)
    table.remove('one')
    expect([table.rowOf('one'), table.size, [...table.keys()]]).toEqual([undefined, 1, ['other']])
    const row = table.add('third')
    expect([table.get(row, 'sum'), table.keyOf(row)]).toEqual([0, 'third'])
    expect(table.get(table.rowOf('other') as number, 'sum')).toBe(7)
  })

  it('lets go of the one that was added first', () => {
    const table = createNumberTable(['sum'])
    for (const key of ['one', 'other', 'third']) table.add(key)
    table.remove('one')
    table.add('one')
    table.removeOldest()
    expect([...table.keys()]).toEqual(['third', 'one'])
    for (const _ of [0, 1, 2]) table.removeOldest()
    expect(table.size).toBe(0)
  })
})
