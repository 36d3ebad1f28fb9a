import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../../../test/fake-clock.ts'
import { createRateLimiter, limitGroup } from '../rate-limit.ts'

describe('limits', () => {
  it.each([
    ['POST', '/v1/auth/login', 'auth'],
    ['GET', '/v1/auth/me', 'auth'],
    ['POST', '/v1/agent/metrics', 'agent'],
    ['GET', '/v1/servers', 'read'],
    ['HEAD', '/v1/servers', 'read'],
    ['OPTIONS', '/v1/servers', 'read'],
    ['DELETE', '/v1/servers/x', 'write'],
    ['PATCH', '/v1/servers/x', 'write'],
    ['POST', '/v1/setup', 'write'],
    ['POST', '/v1/agents', 'write'],
  ])('%s %s is counted as %s', (method, path, group) => expect(limitGroup(method, path)).toBe(group))

  it('admit exactly the limit in each window of a minute, per key and group', () => {
    const clock = createFakeClock(120_000)
    const limiter = createRateLimiter({ auth: 1, read: 3, write: 2, agent: 9 }, true, clock)
    const states = Array.from({ length: 5 }, () => limiter.take('a', 'read'))
    expect(states.map(({ allowed }) => allowed)).toEqual([true, true, true, false, false])
    expect(states.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0, 0])
    expect(states[0]).toMatchObject({ limit: 3, resetAtSeconds: 180 })
    expect(limiter.take('b', 'read').allowed).toBe(true)
    expect(limiter.take('a', 'write').allowed).toBe(true)
    clock.advance(59_999)
    expect(limiter.take('a', 'read').allowed).toBe(false)
    clock.advance(1)
    expect(limiter.take('a', 'read')).toEqual({ limit: 3, remaining: 2, resetAtSeconds: 240, allowed: true })
  })

  it('are shown and not counted by a look, and by nobody when they are off', () => {
    const clock = createFakeClock(0)
    const limiter = createRateLimiter({ auth: 1, read: 1, write: 1, agent: 1 }, true, clock)
    for (let count = 0; count < 3; count += 1) expect(limiter.peek('a', 'read')).toMatchObject({ remaining: 1, allowed: true })
    const off = createRateLimiter({ auth: 1, read: 1, write: 1, agent: 1 }, false, clock)
    for (let count = 0; count < 3; count += 1) expect(off.take('a', 'read')).toMatchObject({ remaining: 1, allowed: true })
  })
})
