import { describe, expect, it } from 'vitest'
import { parseBadge } from './badges.ts'

describe('the badge of an address', () => {
  it.each([
    ['/badge/mon_1/status.svg', null, { kind: 'status', period: '24h' }],
    ['/badge/mon_1/uptime.svg', '90d', { kind: 'uptime', period: '90d' }],
    ['/badge/mon_1/response.svg', '7d', { kind: 'response', period: '7d' }],
    ['/api/badge/mon_1/status', null, { kind: 'status', period: '24h' }],
    ['/api/badge/mon_1/uptime', null, { kind: 'uptime', period: '24h' }],
    ['/api/badge/mon_1/uptime/24', null, { kind: 'uptime', period: '24h' }],
    ['/api/badge/mon_1/uptime/30d', null, { kind: 'uptime', period: '30d' }],
    ['/api/badge/mon_1/ping/24h', null, { kind: 'response', period: '24h' }],
    ['/api/badge/mon_1/uptime/1', null, { kind: 'uptime', period: '24h' }],
    ['/api/badge/mon_1/uptime/168', null, { kind: 'uptime', period: '7d' }],
    ['/api/badge/mon_1/uptime/720', null, { kind: 'uptime', period: '30d' }],
    ['/api/badge/mon_1/uptime/999', null, { kind: 'uptime', period: '90d' }],
    ['/api/badge/mon_1/uptime/1y', null, { kind: 'uptime', period: '90d' }],
    ['/api/badge/mon_1/ping/720', null, { kind: 'response', period: '30d' }],
    ['/api/badge/mon_1/avg-response/24', null, { kind: 'response', period: '24h' }],
    ['/api/badge/mon_1/response', null, { kind: 'response', period: '24h' }],
    ['/api/v1/endpoints/mon_1/uptimes/1h/badge.svg', null, { kind: 'uptime', period: '24h' }],
    ['/api/v1/endpoints/mon_1/response-times/1h/badge.svg', null, { kind: 'response', period: '24h' }],
    ['/api/v1/endpoints/mon_1/health/badge.svg', null, { kind: 'status', period: '24h' }],
    ['/api/v1/endpoints/mon_1/uptimes/7d/badge.svg', null, { kind: 'uptime', period: '7d' }],
    ['/api/v1/endpoints/mon_1/response-times/24h/badge.svg', null, { kind: 'response', period: '24h' }],
  ])('%s with the period %s is %j', (path, period, badge) => {
    expect(parseBadge(path, period)).toEqual({ monitorId: 'mon_1', ...badge })
  })

  it.each([
    ['/badge/mon_1/status.svg', '1y'],
    ['/badge/mon_1/status.svg', ''],
    ['/badge/mon_1/secrets.svg', null],
    ['/badge/mon_1/x/status.svg', null],
    ['/badge/mon_1/uptime.svg', '720'],
    ['/api/badge/mon_1/uptime/0', null],
    ['/api/badge/mon_1/uptime/soon', null],
    ['/api/badge/mon_1/uptime/5m', null],
    ['/api/badge/mon_1/uptime/-24', null],
    ['/api/badge/mon_1/uptime/99999999999', null],
    ['/api/badge/mon_1/cert-exp', null],
    ['/api/v1/endpoints/mon_1/uptimes/badge.svg', null],
    ['/api/v1/endpoints/mon_1/statuses', null],
  ])('%s with the period %j is none', (path, period) => {
    expect(parseBadge(path, period)).toBeUndefined()
  })
})
