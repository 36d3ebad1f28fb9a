import { EVENT_TYPES } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { touchedBy } from './touched.ts'

const keys = (type: string, data: Record<string, unknown>) => touchedBy(type, data)?.map(({ key }) => key.join(' '))

describe('what an event touches', () => {
  it.each([
    [
      'incident.opened',
      { incident: { id: 'inc_1', target: { type: 'server', id: 'srv_1' } } },
      ['incidents list', 'incidents open', 'summary', 'incidents inc_1'],
    ],
    [
      'incident.resolved',
      { incident: { id: 'inc_1', target: { type: 'monitor', id: 'mon_1' } } },
      ['incidents list', 'incidents open', 'summary', 'incidents inc_1'],
    ],
    ['monitor.down', { monitor: { id: 'mon_1' } }, ['monitors list', 'summary', 'monitors mon_1', 'monitors mon_1 transitions']],
    ['server.offline', { server: { id: 'srv_1' } }, ['servers list', 'summary', 'servers srv_1']],
    ['agent.token_refused', { server: { id: 'srv_1' } }, []],
    ['certificate.expiring', { monitor: { id: 'mon_1' } }, ['monitors mon_1']],
    ['member.joined', { member: {} }, ['members', 'invitations']],
    ['vedette.unwell', { problem: {} }, []],
    ['something.new', {}, []],
  ])('%s', (type, data, expected) => expect(keys(type, data)).toEqual(expected))

  it('is everything after a gap', () => expect(touchedBy('stream.gap', {})).toBeUndefined())

  it.each(EVENT_TYPES)('is bounded for a %s that says nothing', (type) => {
    expect(touchedBy(type, {})?.every(({ key }) => key.length > 0)).toBe(true)
  })
})
