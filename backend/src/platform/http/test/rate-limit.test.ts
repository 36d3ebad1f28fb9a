import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../../../test/fake-clock.ts'
import { createUnlimited, limitGroup, limitKeyOfAddress } from '../rate-limit.ts'

describe('rate limits', () => {
  function expectGroup(method: string, path: string, group: string) {
    expect(limitGroup(method, path)).toBe(group)
  }
  it.each([
    ['POST', '/v1/auth/login', 'auth'],
    ['GET', '/v1/auth/me', 'auth'],
    ['POST', '/v1/agent/metrics', 'agent'],
    ['GET', '/v1/in/alertmanager/:token/api/v2/alerts', 'scrape'],
    ['POST', '/v1/in/alertmanager/:token/api/v2/alerts', 'ping'],
    ['GET', '/v1/in/opsgenie/:token/v2/heartbeats/:identifier/ping', 'ping'],
  ])('%s %s is counted by its path as %s [LIMIT-22, LIMIT-23]', expectGroup)

  it.each([
    ['GET', '/v1/me', 'read'],
    ['GET', '/v1/servers', 'read'],
    ['HEAD', '/v1/servers', 'read'],
    ['OPTIONS', '/v1/servers', 'read'],
    ['DELETE', '/v1/servers/x', 'write'],
    ['PATCH', '/v1/servers/x', 'write'],
    ['POST', '/v1/setup', 'write'],
    ['POST', '/v1/agents', 'write'],
  ])('%s %s is counted by its method as %s [LIMIT-20, LIMIT-21]', expectGroup)

  it('are shown and never reached when they are off', () => {
    const clock = createFakeClock(150_000)
    const off = createUnlimited(
      { auth: 1, read: 2, write: 3, agent: 4, probe: 1_000, ping: 1, scrape: 1, query: 1, page: 1, dashboard: 1, check: 1 },
      clock,
    )
    const expected = { limit: 2, remaining: 2, resetAtSeconds: 180, outcome: 'admitted' }
    for (let count = 0; count < 3; count += 1) {
      expect(off.take('a', 'read')).toEqual(expected)
      expect(off.record('a', 'read')).toEqual(expected)
      expect(off.peek('a', 'read')).toEqual(expected)
    }
  })

  it.each([
    ['192.0.2.1', 'ip:192.0.2.1', 'ip:192.0.2.1'],
    ['::ffff:192.0.2.1', 'ip:192.0.2.1', 'ip:192.0.2.1'],
    ['::ffff:c000:201', 'ip:192.0.2.1', 'ip:192.0.2.1'],
    ['2001:db8::1', 'ip:2001:db8::/64', 'ip:2001:db8::/56'],
    ['2001:db8:0:1ff:ffff:ffff:ffff:ffff', 'ip:2001:db8:0:1ff::/64', 'ip:2001:db8:0:100::/56'],
    ['2001:db8:0:200::1', 'ip:2001:db8:0:200::/64', 'ip:2001:db8:0:200::/56'],
    [undefined, 'ip:unknown', 'ip:unknown'],
  ])('count the address %s as %s, for authentication as %s [S9]', (address, key, ofAuthentication) => {
    for (const group of ['read', 'write', 'agent', 'probe'] as const) expect(limitKeyOfAddress(address, group)).toBe(key)
    expect(limitKeyOfAddress(address, 'auth')).toBe(ofAuthentication)
  })
})
