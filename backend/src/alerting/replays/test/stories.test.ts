import { describe, expect, it } from 'vitest'
import type { Lane, ReplayedIncident, ReplayRule } from '../model.ts'
import { simulate } from '../simulate.ts'
import { storiesOf } from '../stories.ts'

const ruleOf = (id: string, own: Partial<ReplayRule> = {}): ReplayRule => ({
  id,
  name: id,
  enabled: true,
  target_type: 'monitor',
  target_id: null,
  target_tag: null,
  expression: null,
  every_seconds: null,
  metric: 'status',
  mount: null,
  entity_name: null,
  operator: 'equals',
  value: 'down',
  clear_value: null,
  for_seconds: 0,
  severity: 'warning',
  channel_ids: ['hook'],
  repeat_seconds: null,
  escalation_policy_id: null,
  description: null,
  runbook_url: null,
  ...own,
})

const incidentOf = (
  rule: ReplayRule,
  target: string,
  [openedAtMs, resolvedAtMs]: readonly [number, number | null],
  own: Partial<ReplayedIncident> = {},
): ReplayedIncident => ({
  rule,
  target: { type: rule.target_type, id: target, name: target, subject: undefined },
  openedAtMs,
  resolvedAtMs,
  actions: [],
  flapping: [],
  storyId: null,
  before: 0,
  ...own,
})

const member = (incident: ReplayedIncident) => ({ incident, firstMs: incident.openedAtMs })
const titles = (members: readonly { incident: ReplayedIncident }[][]) =>
  members.map((story) => story.map(({ incident: { rule, target } }) => `${rule.id} ${target.id}`))

describe('the stories of a replay', () => {
  it('are rules that say the same of one target at the same time, and windows of one SLO', () => {
    const [one, two] = [ruleOf('one'), ruleOf('two')]
    const cpu = ruleOf('cpu', { metric: 'cpu.percent' })
    const [fast, slow] = [ruleOf('fast', { target_type: 'slo' }), ruleOf('slow', { target_type: 'slo', metric: 'other' })]
    const stories = storiesOf(
      [
        incidentOf(one, 'shop', [0, 100]),
        incidentOf(cpu, 'shop', [0, 100]),
        incidentOf(two, 'shop', [50, 200]),
        incidentOf(one, 'shop', [150, 160]),
        incidentOf(one, 'shop', [200, null]),
        incidentOf(one, 'blog', [50, 60]),
        incidentOf(fast, 'slo', [0, 10]),
        incidentOf(slow, 'slo', [5, 20]),
      ].map(member),
    )
    expect(titles(stories)).toEqual([
      ['cpu shop'],
      ['one shop', 'two shop', 'one shop'],
      ['one shop'],
      ['fast slo', 'slow slo'],
      ['one blog'],
    ])
  })

  it('are the servers that fell silent together, as it was recorded', () => {
    const rule = ruleOf('offline', { target_type: 'server', value: 'offline' })
    const silent = ['a', 'b', 'c'].map((name, index) => incidentOf(rule, name, [index, 100 + index], { storyId: 'story' }))
    expect(titles(storiesOf([...silent, incidentOf(rule, 'd', [1, 5])].map(member)))).toEqual([
      ['offline a', 'offline b', 'offline c'],
      ['offline d'],
    ])
  })
})

describe('what a story sends', () => {
  const hook: Lane = { id: 'hook', userId: null, channel: undefined, via: 'webhook' }
  const recipients = {
    stepOf: () => ({ lanes: [hook], toOwners: false }),
    ofRule: ({ channel_ids: ids }: ReplayRule) => ids.map((id) => ({ ...hook, id })),
    receiving: (lanes: readonly Lane[]) => [...lanes],
    heldUntil: () => null,
    isAtNight: () => false,
  }
  const set = { rules: [], policies: [], schedules: [], windows: [], quietTimes: new Map() }
  const sentOf = (incidents: readonly ReplayedIncident[]) =>
    simulate({ set, recipients, toMs: 10_000_000 }, incidents.map(member)).map(
      ({ incident, reason, atMs, lane }) => `${atMs} ${reason} ${incident.target.id} ${lane.id}`,
    )
  const rule = ruleOf('offline', { target_type: 'server' })

  it('is its opening and its end once a channel, the end with the last one', () => {
    expect(sentOf(['a', 'b', 'c'].map((name, index) => incidentOf(rule, name, [index, 300 - index])))).toEqual([
      '0 rule a hook',
      '300 resolved a hook',
    ])
  })

  it('goes again where one is critical, and to channels that do not know it', () => {
    const critical = ruleOf('critical', { severity: 'critical' })
    const other = ruleOf('other', { channel_ids: ['hook', 'pager'] })
    expect(sentOf([rule, critical, other].map((one, index) => incidentOf(one, 'a', [index, 300])))).toEqual([
      '0 rule a hook',
      '1 rule a hook',
      '2 rule a pager',
      '300 resolved a hook',
      '300 resolved a pager',
    ])
  })

  it('goes on with reminders of another one where the first one ends, and not after an acknowledgement', () => {
    const repeated = ruleOf('repeated', { repeat_seconds: 1_000 })
    const acknowledged = { actions: [{ type: 'acknowledged' as const, atMs: 2_500_000, untilMs: null }] }
    expect(sentOf([incidentOf(repeated, 'a', [0, 1_500_000]), incidentOf(repeated, 'b', [0, 5_000_000], acknowledged)])).toEqual([
      '0 rule a hook',
      '1000000 reminder a hook',
      '2000000 reminder b hook',
      '2500000 acknowledged b hook',
      '5000000 resolved a hook',
    ])
  })

  it('has no end while one is open', () => {
    expect(sentOf([incidentOf(rule, 'a', [0, 100]), incidentOf(rule, 'b', [0, null])])).toEqual(['0 rule a hook'])
  })
})
