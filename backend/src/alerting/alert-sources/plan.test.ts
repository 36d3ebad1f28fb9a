import { describe, expect, it } from 'vitest'
import { fingerprintOf, instantOf, lineOf, mustMove, overflowOf, severityOf, storedEnd } from './alert.ts'
import { fingerprintOf as alertmanagerFingerprint } from './formats/alertmanager.ts'
import { alertOf } from './formats/fields.ts'
import type { ReceivedAlert } from './formats/format.ts'
import {
  byFingerprint,
  isEmpty,
  type NewAlert,
  type OpenAlert,
  type OpenAlerts,
  openingOf,
  planAlerts,
  type SourceSettings,
} from './plan.ts'

const NOW = Date.parse('2026-11-21T09:00:00Z')
const MINUTE = 60_000
const SOURCE: SourceSettings = {
  id: '0190f3a1-0000-7000-8000-000000000001',
  name: 'Prometheus',
  type: 'alertmanager',
  severity_map: {},
  default_severity: 'warning',
  tags: [],
  tag_labels: [],
  group_by: [],
  routes: [],
  resolve_after_seconds: null,
  max_open: 3,
  muted: false,
}
const received = (key: string, own: Partial<ReceivedAlert> = {}): ReceivedAlert =>
  alertOf({ key, status: 'firing', title: key, ...own })
const idOf = (key: string) => (key === 'overflow' ? overflowOf(SOURCE.id) : fingerprintOf(SOURCE.id, key))
const openOf = (...keys: string[]): OpenAlerts => ({
  known: new Map(keys.map((key): [string, OpenAlert] => [idOf(key), { endsAtMs: null, isMuted: false, isAcknowledged: false }])),
  total: keys.filter((key) => key !== 'overflow').length,
})
const planOf = (source: SourceSettings, alerts: readonly ReceivedAlert[], open: OpenAlerts, nowMs = NOW) =>
  planAlerts(source, byFingerprint(source.id, alerts), open, nowMs)
const NAMES = new Map(['a', 'b', 'c', 'd', 'e', 'overflow'].map((key) => [idOf(key), key]))
const named = (some: readonly (string | { fingerprint: string })[]) =>
  some.map((one) => NAMES.get(typeof one === 'string' ? one : one.fingerprint)).join(' ')

interface Case {
  name: string
  alerts: ReceivedAlert[]
  open?: string[]
  source?: Partial<SourceSettings>
  expected: Partial<Record<'open' | 'resolve' | 'acknowledge' | 'comment' | 'move' | 'beyond', string>> & {
    endsOverflow?: boolean
  }
}
const CASES: Case[] = [
  { name: 'a new alert opens', alerts: [received('a')], expected: { open: 'a' } },
  { name: 'one that is open stays as it is', alerts: [received('a')], open: ['a'], expected: {} },
  {
    name: 'a post fires and resolves, each alert by itself',
    alerts: [received('a'), received('b', { status: 'resolved' })],
    open: ['b'],
    expected: { open: 'a', resolve: 'b' },
  },
  { name: 'the end of an unknown alert opens nothing', alerts: [received('a', { status: 'resolved' })], expected: {} },
  {
    name: 'of a key twice the last counts',
    alerts: [received('a'), received('a', { status: 'resolved' })],
    open: ['a'],
    expected: { resolve: 'a' },
  },
  {
    name: 'of a key twice the last counts, also where it fires',
    alerts: [received('a', { status: 'resolved' }), received('a')],
    open: ['a'],
    expected: {},
  },
  { name: 'an end in the past resolves', alerts: [received('a', { endsAtMs: NOW })], open: ['a'], expected: { resolve: 'a' } },
  { name: 'an end in the past opens nothing', alerts: [received('a', { endsAtMs: NOW - 1 })], expected: {} },
  {
    name: 'the year 1 is no end',
    alerts: [received('a', { endsAtMs: Date.parse('0001-01-01T00:00:00Z') })],
    expected: { open: 'a' },
  },
  { name: 'a muted source opens nothing', alerts: [received('a')], source: { muted: true }, expected: {} },
  {
    name: 'a muted source resolves',
    alerts: [received('a', { status: 'resolved' })],
    open: ['a'],
    source: { muted: true },
    expected: { resolve: 'a' },
  },
  {
    name: 'what is acknowledged and commented at the sender is so here',
    alerts: [received('a', { status: 'acknowledged' }), received('b', { status: 'commented' })],
    open: ['a', 'b'],
    expected: { acknowledge: 'a', comment: 'b' },
  },
  { name: 'an acknowledgement of nothing changes nothing', alerts: [received('a', { status: 'acknowledged' })], expected: {} },
  {
    name: 'beyond the bound nothing opens, the most severe first',
    alerts: [received('a'), received('b', { severity: 'critical' })],
    open: ['c', 'd'],
    expected: { open: 'b', beyond: 'a' },
  },
  {
    name: 'what ends makes room in the same post',
    alerts: [received('a'), received('c', { status: 'resolved' })],
    open: ['c', 'd', 'e'],
    expected: { open: 'a', resolve: 'c' },
  },
  {
    name: 'the incident about too many does not count itself, and ends with room',
    alerts: [received('a')],
    open: ['a', 'b', 'overflow'],
    expected: { endsOverflow: true },
  },
  { name: 'it stays while there is no room', alerts: [received('a')], open: ['a', 'b', 'c', 'overflow'], expected: {} },
]

describe('alerts and what is open', () => {
  it.each(CASES)('$name', ({ alerts, open = [], source = {}, expected }) => {
    const plan = planOf({ ...SOURCE, ...source }, alerts, openOf(...open))
    const { endsOverflow, ...lists } = plan
    const found = Object.fromEntries(Object.entries(lists).map(([name, some]) => [name, named(some)]))
    const none = { open: '', resolve: '', acknowledge: '', comment: '', move: '', beyond: '', endsOverflow: false }
    expect({ ...found, endsOverflow }).toEqual({ ...none, ...expected })
    const { beyond: _beyond, ...changing } = expected
    expect(isEmpty(plan)).toBe(Object.keys(changing).length === 0)
  })

  it('an end is moved at most once in a quarter of its span', () => {
    const source = { ...SOURCE, resolve_after_seconds: 400 }
    let stored: number | null = null
    let moves = 0
    for (let nowMs = NOW; nowMs < NOW + 1_600_000; nowMs += 10_000) {
      const known: OpenAlert = { endsAtMs: stored, isMuted: false, isAcknowledged: false }
      const open = { known: new Map([[idOf('a'), known]]), total: 1 }
      const [moved]: { endsAtMs: number | null }[] = planOf(source, [received('a')], open, nowMs).move
      if (!moved) continue
      moves += 1
      expect(moved.endsAtMs).toBeGreaterThanOrEqual(nowMs + 400_000)
      stored = moved.endsAtMs
    }
    expect(moves).toBe(15)
  })

  it.each<[string, ReceivedAlert['severity'], Record<string, string>, string]>([
    ['a word of Prometheus', 'page', {}, 'critical'],
    ['a number', '2', {}, 'warning'],
    ['a word of Zabbix, in any case', 'Disaster', {}, 'critical'],
    ['an own word before all others', 'HIGH', {}, 'info'],
    ['another word', 'notice', {}, 'info'],
    ['none', null, {}, 'warning'],
    ['blanks', ' ', {}, 'warning'],
    ['a query of Grafana without data', 'critical', { alertname: 'DatasourceNoData' }, 'info'],
  ])('the severity of %s', (_, severity, labels, expected) => {
    expect(
      severityOf({ type: 'grafana', severity_map: { high: 'info' }, default_severity: 'warning' }, { severity, labels }),
    ).toBe(expected)
  })
})

describe('what hostile senders say', () => {
  const described = (own: Partial<ReceivedAlert>, settings: Partial<SourceSettings> = {}) => {
    const source = { ...SOURCE, ...settings }
    return openingOf(source, planOf(source, [received('a', own)], openOf()).open[0] as NewAlert, NOW)
  }

  it('labels are cut to 64 of 256 bytes, and counted', () => {
    const labels = Object.fromEntries(
      Array.from({ length: 70 }, (_, index) => [`l${String(index).padStart(2, '0')}`, index === 0 ? 'ü'.repeat(200) : 'x']),
    )
    const { external, labelsCut } = described({ labels })
    expect([Object.keys(external.labels).length, labelsCut]).toEqual([64, 7])
    expect(Buffer.byteLength(external.labels['l00'] ?? '')).toBeLessThanOrEqual(256)
    expect(external.labels['l00']).toMatch(/^ü+$/)
  })

  it('control characters become blanks, half a surrogate pair is replaced', () => {
    const { external, summary } = described({
      title: 'a\u0000b\nc\ud800',
      labels: { 'x\u0000\u001b[31m': 'y\r\nz', __proto__x: '1' },
    })
    expect(summary).toBe('a b c\ufffd')
    expect(external.labels).toEqual({ 'x [31m': 'y z', __proto__x: '1' })
  })

  it('a text of a megabyte is cut', () => {
    const { text, summary } = described({ text: 'ä'.repeat(1_048_576), title: 'x'.repeat(1_048_576) })
    expect([Buffer.byteLength(text ?? ''), Buffer.byteLength(summary)]).toEqual([4_096, 500])
  })

  it.each([
    ['https://prometheus.example/graph?g0.expr=up', 'https://prometheus.example/graph?g0.expr=up'],
    ['javascript:alert(1)', null],
    ['data:text/html,x', null],
    ['not a url', null],
    [`https://a.example/${'x'.repeat(3_000)}`, null],
  ])('of urls only pages are links: %s', (url, expected) => expect(described({ url }).external.url).toBe(expected))

  it('an end in the year 9999, or later than a week, is no end', () => {
    expect(described({ endsAtMs: Date.parse('9999-12-31T00:00:00Z') }).endsAtMs).toBeNull()
    expect(described({ endsAtMs: NOW + 604_801_000 }).endsAtMs).toBeNull()
    expect(described({ endsAtMs: NOW + 4 * MINUTE }).endsAtMs).toBe(NOW + 5 * MINUTE)
  })

  it('a clock that is an hour ahead changes neither the opening nor its end', () => {
    expect(described({ startsAtMs: NOW + 60 * MINUTE }).startedAtMs).toBe(NOW + 60 * MINUTE)
    expect(instantOf(Date.parse('0001-01-01T00:00:00Z'))).toBeNull()
  })

  it('labels become tags, and groups', () => {
    const own = { tags: ['prod'], tag_labels: ['team', 'absent'], group_by: ['alertname', 'absent'] }
    const { tags, group } = described({ labels: { team: 'shop', alertname: 'Down' } }, own).external
    expect({ tags, group }).toEqual({ tags: ['prod', 'team:shop'], group: 'alertname=Down, absent=' })
  })

  it('a line is of one line', () => expect(lineOf(' a\u2028b\u0085c ', 100)).toBe('a b c'))
})

it('an end that became much earlier is moved too', () => {
  expect(mustMove(storedEnd(NOW + 100_000, NOW), NOW + 100_000, NOW)).toBe(false)
  expect(mustMove(storedEnd(NOW + 1_000_000, NOW), NOW + 100_000, NOW)).toBe(true)
})

/** FNV-1a as its authors write it. */
function fnv(labels: Record<string, string>): string {
  let sum = 14_695_981_039_346_656_037n
  for (const [name, value] of Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    for (const byte of [...Buffer.from(name), 255, ...Buffer.from(value), 255])
      sum = ((sum ^ BigInt(byte)) * 1_099_511_628_211n) & 0xffff_ffff_ffff_ffffn
  return sum.toString(16).padStart(16, '0')
}

it.each([[{}], [{ alertname: 'Down' }], [{ b: 'ü', a: '😀', instance: 'web-1:9100', severity: 'page' }]])(
  'the fingerprint of labels is that of Alertmanager: %o',
  (labels) => expect(alertmanagerFingerprint(labels as Record<string, string>)).toBe(fnv(labels as Record<string, string>)),
)
