import { expect, it } from 'vitest'
import { placesIn, ruleWithChannel, ruleWithPolicy, stepsWith, stepsWithout } from './places.ts'

const step = (channels: string[], own: object = {}) => ({
  channel_ids: channels,
  schedule_ids: [],
  user_ids: ['ada'],
  wait_seconds: 300,
  restrictions: [],
  ...own,
})
const many = Array.from({ length: 20 }, (_, number) => `n${number}`)

it('puts a channel back where steps named it', () => {
  const steps = [step(['a', 'x', 'b']), step(['b']), step(['x'])]
  const left = stepsWithout(steps, 'channel_ids', 'x')
  expect(left).toEqual([step(['a', 'b']), step(['b']), step([])])
  expect(stepsWith(left, 'channel_ids', 'x', placesIn(steps, 'channel_ids', 'x'))).toEqual(steps)
})

it('leaves a step alone that says something else, moved, names it, or is full', () => {
  const places = placesIn([step(['x'])], 'channel_ids', 'x')
  for (const now of [[step([], { wait_seconds: 60 })], [step([], { user_ids: [] }), step([])], [step(['x'])], [step(many)]])
    expect(stepsWith(now, 'channel_ids', 'x', places)).toEqual(now)
})

it('puts a channel back into a rule that follows no policy', () => {
  const rule = { id: 'r', channel_ids: ['a', 'b'], escalation_policy_id: null }
  expect(ruleWithChannel(rule, 'x', 1).channel_ids).toEqual(['a', 'x', 'b'])
  expect(ruleWithChannel({ ...rule, channel_ids: [] }, 'x', 1).channel_ids).toEqual(['x'])
  for (const now of [
    { ...rule, escalation_policy_id: 'p', channel_ids: [] },
    { ...rule, channel_ids: ['x'] },
    { ...rule, channel_ids: many },
  ])
    expect(ruleWithChannel(now, 'x', 0)).toEqual(now)
})

it('lets a rule follow a policy again that has neither channels nor another policy', () => {
  const rule = { id: 'r', channel_ids: [], escalation_policy_id: null }
  expect(ruleWithPolicy(rule, 'p').escalation_policy_id).toBe('p')
  for (const now of [
    { ...rule, channel_ids: ['a'] },
    { ...rule, escalation_policy_id: 'q' },
  ])
    expect(ruleWithPolicy(now, 'p')).toEqual(now)
})
