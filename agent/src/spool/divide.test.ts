import { expect, test } from 'vitest'
import { divideBatch } from './divide.ts'

const base = { first: 3, last: 7, batch_id: 'old', sent_at: 'then', agent_version: '1' }
const entity = (name: string) => ({ kind: 'battery', name, values: { a: 1, b: 2 }, attributes: { model: 'm' } })
const state = {
  filesystems: [
    { mount: '/', fs_type: 'ext4', used_bytes: 1, total_bytes: 2, percent: 50 },
    { mount: '/b', fs_type: 'ext4', used_bytes: 1, total_bytes: 2, percent: 50 },
  ],
  host: { uptime_seconds: 1, logged_in_users: 2 },
  entities: [entity('one'), entity('two'), entity('three')],
}
const numbers = [3, 4, 5, 6, 7]
const divided = (...faults: string[]) => divideBatch({ ...base, ...state }, numbers, faults)

test('a named value of an entity is left out alone', () => {
  expect(divided('entities.1.values.b')).toEqual([
    { ...base, ...state, entities: [entity('one'), { ...entity('two'), values: { a: 1 } }, entity('three')] },
  ])
})

test('several named parts are left out at once, whatever their order', () => {
  expect(
    divided('filesystems.0.percent', 'entities.0.name', 'host.uptime_seconds', 'entities.2', 'entities.1.attributes.model'),
  ).toEqual([
    {
      ...base,
      filesystems: [state.filesystems[1]],
      host: { logged_in_users: 2 },
      entities: [{ ...entity('two'), attributes: {} }],
    },
  ])
})

test.each([['columns.cpu.percent.3'], ['block'], [''], ['entities_at'], ['toString'], ['__proto__.x']])(
  'of a batch in which %j names no part of the state the samples are halved, the state with the newest',
  (fault) => {
    expect(divided(fault)).toEqual([
      { ...base, last: 5 },
      { ...base, first: 6, ...state },
    ])
  },
)

test('one sample is divided from its state, and is alone then', () => {
  const one = { ...base, first: 7 }
  expect(divideBatch({ ...one, ...state }, [7], [])).toEqual([one])
  expect(divideBatch(one, [7], [''])).toEqual([])
})

test('the batch itself stays as it was', () => {
  const before = structuredClone(state)
  divided('entities.0.values.a', 'filesystems.0')
  expect(state).toEqual(before)
})
