import { CHECK_TYPES, DAY_MS } from '@vedette/shared/tables'
import { expect, test } from 'vitest'
import { kindWords, targetText } from './kind-words.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const inDays = (days: number) => new Date(NOW + days * DAY_MS + 1).toISOString()
const ping = (at: string) => ({ expected_at: at, due_by: at, late: false })

test.each<[type: string, item: object, words: string | RegExp]>([
  ['icmp', { facts: { packet_loss: 33.333, rtt_avg_ms: 12.345 } }, '33.3 % loss · 12.3 ms'],
  ['tls', { certificate_expires_at: inDays(61) }, 'certificate 61 days'],
  ['http', { certificate_expires_at: inDays(61) }, ''],
  ['http', { certificate_expires_at: inDays(1) }, 'certificate 1 day'],
  ['domain', { facts: { domain_expiry: 211 } }, 'registered for 211 days'],
  ['dns', { facts: { rcode: 'NOERROR', answer_count: 1 } }, '1 answer'],
  ['dns', { facts: { rcode: 'NXDOMAIN', answer_count: 0 } }, 'NXDOMAIN · 0 answers'],
  ['postgres', { facts: { rows: 3, cell: 'x' } }, '3 rows'],
  ['mysql', { facts: { cell: 'ready' } }, 'ready'],
  ['redis', { facts: { cell: 'PONG' } }, 'PONG'],
  ['ftp', { facts: { greeting: 'a', entries: 1 } }, '1 entry'],
  ['ftp', { facts: { greeting: 'a' } }, ''],
  ['mongodb', { facts: { role: 'primary', replica_set: 'rs0' } }, 'primary'],
  ['mqtt', { facts: { cell: 21.5, topic: 'a' } }, '21.5'],
  ['ntp', { facts: { offset_ms: -12.345, stratum: 2 } }, /^clock -12.3 ms off$/],
  ['radius', { facts: { reply: 'Access-Accept' } }, 'Access-Accept'],
  ['ssh', { facts: { software: 'OpenSSH_9.2' } }, 'OpenSSH_9.2'],
  ['grpc', { facts: { serving_status: 'SERVING' } }, 'SERVING'],
  ['snmp', { facts: { device: 'switch', uptime: 42.5, load: 1 } }, 'device switch · uptime 42.5'],
  ['sip', { facts: { server_version: 'pbx' } }, 'pbx'],
  ['rtsp', { facts: { server_version: 'camera' } }, 'camera'],
  ['rtsp', { facts: { server_version: 'camera', media: 'video H264' } }, 'video H264'],
  ['ldap', { facts: { entry: 'uid=ada', attribute: 42 } }, '42'],
  ['upstream', { facts: { impact: 'operational', incident: 'Old' } }, ''],
  ['upstream', { facts: { impact: 'degraded', incident: 'Slow' } }, 'Slow'],
  ['upstream', { facts: { impact: 'maintenance' } }, 'maintenance'],
  ['steps', { facts: { step_1: 'a: 1 ms', step_2: 'b: 2 ms' } }, '2 steps'],
  ['heartbeat', { next_ping: ping('2026-11-20T13:00:00Z') }, /^next ping \d\d:00$/],
  ['heartbeat', { next_ping: ping('2026-11-20T11:00:00Z') }, /^ping late since \d\d:00$/],
  ['heartbeat', { next_ping: ping('2026-11-23T11:00:00Z') }, /^next ping \D*23\D* \d\d:00$/],
  ['heartbeat', { next_ping: null }, ''],
  ['tcp', {}, ''],
  ['unheard-of', { facts: { x: 1 } }, ''],
])('%s %j', (type, item, words) => {
  expect(kindWords({ type, url: '', ...item }, NOW)).toMatch(words instanceof RegExp ? words : new RegExp(`^${words}$`))
})

test.each(Object.keys(CHECK_TYPES))('%s has no words before its first check', (type) => {
  expect(kindWords({ type, url: '', facts: {}, certificate_expires_at: null, next_ping: null }, NOW)).toBe('')
})

test.each([
  ['http', 'POST', 'https://shop.example/login', 'POST https://shop.example/login'],
  ['http', 'GET', 'https://shop.example/', 'https://shop.example/'],
  ['websocket', undefined, 'wss://shop.example/live', 'wss://shop.example/live'],
  ['tcp', undefined, 'tcp://db:5432', 'db:5432'],
  ['dns', undefined, 'dns:///www.example.com?type=MX', 'www.example.com MX'],
  ['dns', undefined, 'dns://9.9.9.9:53/www.example.com', 'www.example.com @9.9.9.9:53'],
  ['domain', undefined, 'domain://example.com', 'example.com'],
  ['heartbeat', undefined, 'heartbeat://nightly-backup', 'nightly-backup'],
])('%s: %s %s is %s', (type, method, url, shown) => {
  expect(targetText({ type, url, ...(method !== undefined && { method }) })).toBe(shown)
})
