import type { ChangeStep } from '@vedette/shared'
import { expect, it } from 'vitest'
import { fieldName, fieldsOf, undoText, valueText } from './steps.ts'

const step = (change: Partial<ChangeStep>): ChangeStep => ({
  action: 'update',
  kind: 'monitor',
  ref: null,
  id: 'mon_1',
  before: { name: 'Shop' },
  after: { name: 'Shop' },
  differences: [],
  says: '',
  refused: null,
  ...change,
})

it.each([
  ['/interval', 'interval'],
  ['/assertions/0/value', 'assertions.0.value'],
  ['/names/a~1b~0c', 'names.a/b~c'],
])('the field %s is called %s', (path, name) => expect(fieldName(path)).toBe(name))

it.each([
  [undefined, 'none'],
  [null, 'none'],
  ['', 'none'],
  [0, '0'],
  [false, 'No'],
  [['a'], '[\n "a"\n]'],
])('the value %j is shown as %j', (value, text) => expect(valueText(value)).toBe(text))

it('all fields are shown of what is created or deleted', () => {
  expect(fieldsOf(step({ before: null }))).toEqual([{ path: '/name', to: 'Shop' }])
  expect(fieldsOf(step({ after: null }))).toEqual([{ path: '/name', from: 'Shop' }])
  expect(fieldsOf(step({}))).toEqual([])
})

const difference = (index: number) => ({ path: `/f${index}`, from: index, to: index + 1 })
it.each([
  [{ before: null }, 'Shop is deleted'],
  [{ after: null }, 'Shop comes back'],
  [{ differences: [{ path: '/interval', from: 60, to: 30 }] }, 'Shop: interval 30 → 60'],
  [{ differences: [{ path: '/config/token', from: '•••', to: '•••' }] }, 'Shop: config.token'],
  [{ differences: [1, 2, 3, 4, 5, 6].map(difference) }, 'Shop: f1 2 → 1, f2 3 → 2, f3 4 → 3, f4 5 → 4, f5 6 → 5, and 1 more'],
  [{}, 'Shop: is managed as before'],
  [{ before: null, after: { tags: [] }, ref: 'shop/a' }, 'shop/a is deleted'],
])('an undo of %j says "%s"', (change, text) => expect(undoText(step(change))).toBe(text))
