import { EVENT_TYPES } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { affectedQueries } from './affected-queries.ts'

const keys = (type: string, data: Record<string, unknown>) => affectedQueries(type, data)?.map(({ key }) => key.join(' '))

describe('the queries that an event affects', () => {
  it.each([
    [
      'incident.opened',
      { incident: { id: 'inc_1', target: { type: 'server', id: 'srv_1' } } },
      ['incidents list', 'incidents open', 'incidents story', 'overview', 'incidents inc_1'],
    ],
    [
      'incident.resolved',
      { incident: { id: 'inc_1', target: { type: 'monitor', id: 'mon_1' } } },
      ['incidents list', 'incidents open', 'incidents story', 'overview', 'incidents inc_1'],
    ],
    ['monitor.down', { monitor: { id: 'mon_1' } }, ['monitors list', 'overview', 'monitors mon_1', 'monitors mon_1 transitions']],
    ['server.offline', { server: { id: 'srv_1' } }, ['servers list', 'overview', 'servers srv_1']],
    ['server.health_changed', { server: { id: 'srv_1' } }, ['servers list', 'overview', 'servers srv_1']],
    ['agent.token_refused', { server: { id: 'srv_1' } }, []],
    ['certificate.expiring', { monitor: { id: 'mon_1' } }, ['monitors mon_1']],
    ['member.joined', { member: {} }, ['members', 'invitations']],
    ['vedette.unwell', { problem: {} }, []],
    ['something.new', {}, []],
  ])('%s affects its own queries only', (type, data, expected) => expect(keys(type, data)).toEqual(expected))

  it('are all queries after a gap', () => expect(affectedQueries('stream.gap', {})).toBeUndefined())

  it.each(EVENT_TYPES)('are never all queries for a %s without data', (type) => {
    expect(affectedQueries(type, {})?.every(({ key }) => key.length > 0)).toBe(true)
  })
})
