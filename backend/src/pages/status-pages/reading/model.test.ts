import { describe, expect, it } from 'vitest'
import { type ComponentStatus, type Overall, overallOf, type PagePost } from './model.ts'

type Posts = Pick<PagePost, 'type' | 'status' | 'impact'>[]
const incident = (impact: PagePost['impact'], status: PagePost['status'] = 'investigating') =>
  ({ type: 'incident', status, impact }) as const

describe('the overall status of a page', () => {
  it.each<[Overall, ComponentStatus[], Posts]>([
    ['operational', [], []],
    ['operational', ['operational', 'paused', 'unknown'], []],
    ['unknown', ['unknown', 'paused', 'unknown'], []],
    ['maintenance', ['operational', 'maintenance'], []],
    ['degraded', ['maintenance', 'degraded'], []],
    ['partial_outage', ['down', 'degraded'], []],
    ['major_outage', ['down', 'paused', 'down'], []],
    // Of open incidents the impact counts where it is worse.
    ['operational', ['operational'], [incident('none')]],
    ['unknown', ['unknown'], [incident('none')]],
    ['degraded', ['operational'], [incident('minor')]],
    ['degraded', ['unknown'], [incident('minor', 'monitoring')]],
    ['degraded', ['maintenance'], [incident('minor', 'identified')]],
    ['partial_outage', ['degraded'], [incident('minor'), incident('major')]],
    ['major_outage', ['operational'], [incident('critical'), incident('none')]],
    ['major_outage', [], [incident('critical')]],
    ['partial_outage', ['down', 'operational'], [incident('minor')]],
    ['major_outage', ['down'], [incident('major')]],
    // A resolved incident and a maintenance have no effect.
    ['operational', ['operational'], [incident('critical', 'resolved')]],
    ['operational', ['operational'], [{ type: 'maintenance', status: 'in_progress', impact: 'critical' }]],
  ])('is %s with components that are %j and posts %j', (overall, statuses, posts) => {
    expect(
      overallOf(
        statuses.map((status) => ({ status })),
        posts,
      ),
    ).toBe(overall)
  })
})
