import { expect, it } from 'vitest'
import { roleHas, type Role } from '@vedette/shared'
import { type ChecklistFacts, checklistItems } from './checklist-items.ts'

const NEW: ChecklistFacts = { servers: 1, isSampled: false, monitors: 0, isChannelTested: undefined, isExported: false }
const stepsOf = (facts: Partial<ChecklistFacts>, role: Role = 'owner') =>
  Object.fromEntries(
    checklistItems({ ...NEW, ...facts }, (permission) => roleHas(role, permission)).map(({ name, isDone }) => [name, isDone]),
  )

it('the first steps of an owner are all open after the set-up', () =>
  expect(stepsOf({})).toEqual({ host: false, server: false, monitor: false, channel: undefined, backup: false }))

it('each of the first steps is done by its own fact', () => {
  expect(stepsOf({ isSampled: true })).toMatchObject({ host: true, server: false })
  expect(stepsOf({ servers: 2 })).toMatchObject({ host: false, server: true })
  expect(stepsOf({ monitors: 1, isChannelTested: true, isExported: true })).toMatchObject({
    monitor: true,
    channel: true,
    backup: true,
  })
})

it.each([
  ['admin', ['host', 'server', 'monitor', 'channel', 'backup']],
  ['member', ['monitor']],
  ['viewer', []],
] as const)('the first steps of the role %s are what it may do', (role, names) =>
  expect(Object.keys(stepsOf({}, role))).toEqual(names),
)
