import { IdOf, Nullable, Ref, Timestamp } from '@vedette/shared'
import { Type } from 'typebox'
import { expect, it } from 'vitest'
import { composeExample, type NamedSchemas } from './compose-example.ts'

const Status = Type.Enum(['up', 'down'], { $id: 'Status' })
const Tags = Type.Array(Type.String(), { $id: 'Tags', examples: [['prod']] })
const Item = Type.Object({ status: Ref(Status), tags: Type.Optional(Ref(Tags)) }, { $id: 'Item' })
const named: NamedSchemas = new Map(Object.entries({ Status, Tags, Item }))
const Text = Type.String({ examples: ['Shop'] })

it.each([
  ['its own', Text, 'Shop'],
  ['no text that has none', Type.String(), undefined],
  ['the first choice', Status, 'up'],
  ['the least number', Type.Integer({ minimum: 3 }), 3],
  ['a number from 0', Type.Number(), 0],
  ['false', Type.Boolean(), false],
  ['null where nothing else is said', Nullable(Type.Integer()), null],
  ['what can be null, where it is said', Nullable(Text), 'Shop'],
  ['the first of a union', Type.Union([Ref(Item), Type.Null()]), { status: 'up', tags: ['prod'] }],
  ['one item of a list', Type.Array(Ref(Item)), [{ status: 'up', tags: ['prod'] }]],
  ['an empty list of texts without one', Type.Array(Type.String()), []],
  [
    'an id and an instant',
    Type.Object({ id: IdOf('user'), at: Timestamp }),
    {
      id: expect.stringMatching(/^usr_/),
      at: expect.stringMatching(/Z$/),
    },
  ],
  ['no optional part without one', Type.Object({ name: Text, size: Type.Optional(Type.Integer()) }), { name: 'Shop' }],
  ['what stands next to a reference', { $ref: 'Tags#', examples: [['web']] }, ['web']],
  ['that of a body before those of its parts', Type.Object({ name: Text }, { examples: [{ name: 'Blog' }] }), { name: 'Blog' }],
])('an example is %s', (_, schema, expected) => {
  expect(composeExample(schema, named)).toEqual(expected)
})

it('a whole example shows each optional part that can be shown', () => {
  const schema = Type.Object({ name: Text, size: Type.Optional(Type.Integer()), note: Type.Optional(Type.String()) })
  expect(composeExample(schema, named, true)).toEqual({ name: 'Shop', size: 0 })
})
