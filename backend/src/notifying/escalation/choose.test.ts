import { describe, expect, it } from 'vitest'
import { choosePeople, choosePolicy } from './choose.ts'

describe('the policy of an incident', () => {
  const policies = [
    { id: 'oldest', tags: ['web', 'mail'] },
    { id: 'newer', tags: ['web'] },
    { id: 'untagged', tags: [] },
  ]
  it.each([
    ['that of its rule', { ofRule: 'untagged', tags: ['web'] }, 'untagged'],
    ['none if the rule names one that is not there', { ofRule: 'deleted', tags: ['web'] }, undefined],
    ['the oldest with a tag of the target', { ofRule: null, tags: ['other', 'web'] }, 'oldest'],
    ['none without a common tag', { ofRule: null, tags: ['other'] }, undefined],
    ['that of a route before that of its rule', { ofRule: 'newer', ofRoute: 'untagged', tags: [] }, 'untagged'],
    ['that of its rule where that of the route is gone', { ofRule: 'newer', ofRoute: 'deleted', tags: [] }, 'newer'],
    ['none without tags', { ofRule: null, tags: [] }, undefined],
  ])('is %s', (_text, facts, expected) => expect(choosePolicy(policies, facts)?.id).toBe(expected))
})

describe('a step', () => {
  const none = { user_ids: [], channel_ids: [] }
  const facts = { isMember: (id: string) => id !== 'left', onDuty: [], hasGap: false }
  it.each([
    [
      'its members and who is on duty, each once',
      { ...none, user_ids: ['ann', 'left'] },
      { onDuty: ['bob', 'ann'] },
      ['ann', 'bob'],
      false,
    ],
    ['the owners as well if nobody is on duty', { ...none, user_ids: ['ann'] }, { hasGap: true }, ['ann'], true],
    ['the owners if all have left', { ...none, user_ids: ['left'] }, {}, [], true],
    ['nobody else if it has a channel', { ...none, channel_ids: ['chat'] }, {}, [], false],
  ])('notifies %s', (_text, step, given, named, needsOwners) =>
    expect(choosePeople(step, { ...facts, ...given })).toEqual({ named, needsOwners }),
  )
})
