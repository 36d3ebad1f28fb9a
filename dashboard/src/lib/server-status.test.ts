import { expect, it } from 'vitest'
import { serverStatus, worstStatus } from './server-status.ts'

const AT = '2026-01-01T00:00:00.000Z'
const now = Date.parse(AT)

it('a server waits for its first push for ten minutes, and is offline after that', () => {
  const server = { status: 'offline', last_seen_at: AT, registered_at: AT }
  expect([serverStatus(server, now + 599_000), serverStatus(server, now + 600_000)]).toEqual(['pending', 'offline'])
  expect(serverStatus({ ...server, last_seen_at: '2026-01-01T00:00:01.000Z' }, now + 1_000)).toBe('offline')
  expect(serverStatus({ ...server, status: 'online' }, now)).toBe('online')
})

it('in a list a server that is online is called by what is wrong with it', () => {
  const server = { status: 'online', last_seen_at: AT, registered_at: '2025-12-31T00:00:00.000Z' }
  const shown = (status: string, health: string) => worstStatus({ ...server, status, health: { status: health } }, now)
  expect([shown('online', 'critical'), shown('online', 'info'), shown('offline', 'critical')]).toEqual([
    'critical',
    'online',
    'offline',
  ])
})
