import { DAY_MS, HOUR_MS } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFakeClock } from '../../../../../../test/fake-clock.ts'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../../../test/harness.ts'
import { seedChecks, type SeededCheck, seedMonitor, seedRegion } from '../../../../../../test/seed-checks.ts'
import { compactChecks } from '../../../../../monitoring/checks/index.ts'
import { isStale, type SeriesData } from '../../../../../querying/promql/index.ts'
import { toLabels } from '../../../export/format.ts'
import { createMonitor, linesOf, startRegion } from '../../../test/world.ts'
import { monitorsSource } from '../monitors-source.ts'
import { instant, named, scopeOf, valueAt } from './queries.ts'

const MINUTE = 60_000
const REGION = 'queried-1'
const source = monitorsSource()

let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())

const toLine = ({ labels }: SeriesData, value: number | undefined): string => {
  const { __name__: name, ...own } = labels
  return `${name}{${toLabels(own)}} ${value}`
}
/** The same labels in any order. */
const sorted = (line: string): string => {
  const [, name, labels = '', value] = /^(\w+)\{(.*)\} (.+)$/.exec(line) ?? []
  return `${name}{${labels
    .split(/,(?=\w+=")/)
    .toSorted()
    .join(',')}} ${value}`
}
const only = (series: readonly SeriesData[], labels: Record<string, string>): SeriesData => {
  const found = series.filter((one) => Object.entries(labels).every(([label, value]) => one.labels[label] === value))
  expect(found).toHaveLength(1)
  return found[0] as SeriesData
}
const samplesOf = ({ atMs, values }: SeriesData, sinceMs: number): [number, number | 'stale'][] =>
  [...atMs].map((at, index) => [at - sinceMs, isStale(values, index) ? 'stale' : (values[index] as number)])

describe('monitors that are checked', () => {
  let organization: TestOrganization
  let admin: Credentials
  let submit: Awaited<ReturnType<typeof startRegion>>
  const shopUrl = 'https://shop.example.com/'
  const pingUrl = 'icmp://gw.example.com'
  let shop: string
  beforeAll(async () => {
    organization = await backend.organization('Checked')
    admin = await backend.apiKey(organization, 'admin')
    submit = await startRegion(backend, REGION)
    const common = { regions: [REGION], interval: 60, confirmations: 1 }
    shop = await createMonitor(backend, admin, { name: 'shop "a\\', url: shopUrl, tags: ['shop', 'eu'], ...common })
    await createMonitor(backend, admin, { name: 'gateway', type: 'icmp', url: pingUrl, ...common })
    const paused = await createMonitor(backend, admin, { name: 'paused', url: 'https://paused.example.com/', ...common })
    const deleted = await createMonitor(backend, admin, { name: 'deleted', url: 'https://deleted.example.com/', ...common })
    backend.clock.advance(MINUTE)
    const certificate = { expires_at: '2027-01-01T00:00:00.000Z', issuer: 'CA', subject_names: ['shop.example.com'] }
    const ping = { status_code: null, tls_ms: null, first_byte_ms: null, transfer_ms: null, http_version: null }
    await submit([
      { url: shopUrl, certificate, address: '2001:db8::1' },
      { url: pingUrl, ...ping, facts: { packet_loss: 12.5 } },
      { url: 'https://deleted.example.com/' },
    ])
    await backend.call('POST', `/v1/monitors/${paused}/pause`, { as: admin })
    await backend.call('DELETE', `/v1/monitors/${deleted}`, { as: admin })
  })

  it('have the series that a scraper gets, with the same labels and values', async () => {
    const { scope } = scopeOf(backend, organization)
    const wanted = instant(scope.nowMs, named('.+', '=~'))
    const { series, hasMeans } = await source.read(scope, wanted)
    const { body } = await backend.call('GET', '/v1/prometheus/monitors', { as: admin })
    const scraped = linesOf(String(body)).map(sorted)
    expect(scraped).toHaveLength(26)
    // What was paused meanwhile has series that have ended.
    const present = series.filter((one) => valueAt(one, scope.nowMs) !== undefined)
    expect(present.map((one) => sorted(toLine(one, valueAt(one, scope.nowMs)))).toSorted()).toEqual(scraped.toSorted())
    expect(hasMeans).toBe(false)
    const listed = await source.list(scope, wanted)
    const keys = (labels: readonly Readonly<Record<string, string>>[]) =>
      labels
        .map((one) =>
          toLabels(
            Object.fromEntries(
              Object.keys(one)
                .toSorted()
                .map((name) => [name, one[name] ?? '']),
            ),
          ),
        )
        .toSorted()
    // Of an hour that has not ended there is no percentile yet.
    const ofHours = (one: Record<string, string>) => one['__name__']?.includes(':') ?? false
    expect(keys(listed.filter((one) => !ofHours(one)))).toEqual(keys(series.map(({ labels }) => labels)))
    expect(listed.filter(ofHours)).toEqual([])
    expect(await source.list(scope, { ...wanted, matchers: [named('probe_duration_seconds:.+', '=~')] })).toHaveLength(6)
    expect(source.families.map(({ name }) => name)).toEqual(expect.arrayContaining(scraped.map((line) => line.split('{')[0])))
  })

  it('are selected by name and labels', async () => {
    const { scope } = scopeOf(backend, organization)
    const read = async (...matchers: Parameters<typeof instant>[1][]) =>
      (await source.read(scope, instant(scope.nowMs, ...matchers))).series.map(({ labels }) => labels)
    expect(await read(named('probe_http_duration_seconds'), { label: 'phase', op: '=', value: 'tls' })).toEqual([
      expect.objectContaining({ monitor_id: shop, phase: 'tls', region: REGION }),
    ])
    expect(await read(named('probe_success'), { label: 'region', op: '!=', value: REGION })).toEqual([])
    expect(await read(named('probe_success'), { label: 'monitor_id', op: '=', value: shop })).toHaveLength(1)
    expect(await read(named('vedette_check_fact'))).toEqual([expect.objectContaining({ fact: 'packet_loss', type: 'icmp' })])
    expect(source.mayHave([named('probe_.*', '=~')])).toBe(true)
    expect(source.mayHave([named('node_load1')])).toBe(false)
    const other = await backend.organization('Unrelated')
    expect((await source.read(scopeOf(backend, other).scope, instant(scope.nowMs, named('.+', '=~')))).series).toEqual([])
  })

  it('end a value at the check that does not say it, and count for three intervals and a minute', async () => {
    const beginMs = backend.clock.now()
    const submitNext = async (result: object) => {
      backend.clock.advance(MINUTE)
      await backend.pool.db
        .updateTable('check_schedule')
        .set({ due_at: backend.clock.now(), lease_until: 0 })
        .where('organization', '=', organization.number)
        .execute()
      await submit([{ url: shopUrl, ...result }])
    }
    const certificate = { expires_at: '2027-01-01T00:00:00.000Z', issuer: 'CA', subject_names: ['shop.example.com'] }
    const failed = { outcome: 'down', status_code: null, response_ms: null, connect_ms: null, tls_ms: null, address: null }
    const down = { ...failed, first_byte_ms: null, transfer_ms: null, error: { code: 'connect', message: 'refused' } }
    await submitNext(down)
    const unknown = { ...down, outcome: 'inconclusive', error: { code: 'internal', message: 'no' } }
    await submitNext(unknown)
    await submitNext({ certificate, outcome: 'degraded', error: { code: 'assertion', message: 'slow' } })
    const { scope } = scopeOf(backend, organization)
    const wanted = { ...instant(scope.nowMs, named('.+', '=~'), { label: 'monitor_id', op: '=', value: shop }), fromMs: beginMs }
    const { series } = await source.read(scope, { ...wanted, rangeMs: 3 * MINUTE })
    const of = (name: string) => samplesOf(only(series, { __name__: name }), beginMs)
    // A range excludes its begin.
    expect(of('probe_success')).toEqual([
      [MINUTE, 0],
      [2 * MINUTE, 'stale'],
      [3 * MINUTE, 1],
    ])
    expect(of('vedette_check_degraded').map(([, value]) => value)).toEqual([0, 'stale', 1])
    expect(of('probe_duration_seconds').map(([, value]) => value)).toEqual(['stale', 'stale', 0.0842])
    expect(of('vedette_check_timestamp_seconds').map(([, value]) => value)).toEqual(
      [1, 2, 3].map((minutes) => (beginMs + minutes * MINUTE) / 1_000),
    )
    // What is known of the certificate is what the newest check saw.
    expect(of('probe_ssl_earliest_cert_expiry').map(([, value]) => value)).toEqual([
      'stale',
      'stale',
      Date.UTC(2027, 0, 1) / 1_000,
    ])
    const lateMs = scope.nowMs + 4 * MINUTE - 1
    const later = await source.read({ ...scope, nowMs: lateMs + 1 }, { ...wanted, fromMs: lateMs, toMs: lateMs + 1 })
    const success = only(later.series, { __name__: 'probe_success' })
    expect([valueAt(success, lateMs), valueAt(success, lateMs + 1)]).toEqual([1, undefined])
  })

  it('have the status of each instant, and none while they are paused', async () => {
    const { scope } = scopeOf(backend, organization)
    const wanted = { ...instant(scope.nowMs, named('vedette_monitor_(status|info)', '=~')), fromMs: scope.nowMs - 10 * MINUTE }
    const { series } = await source.read(scope, wanted)
    const of = (labels: Record<string, string>) =>
      [4, 3, 2, 1, 0].map((ago) => valueAt(only(series, labels), scope.nowMs - ago * MINUTE))
    const status = { __name__: 'vedette_monitor_status', monitor_id: shop }
    expect(of({ ...status, status: 'down' })).toEqual([undefined, undefined, 1, 1, undefined])
    expect(of({ ...status, status: 'up' })).toEqual([1, 1, undefined, undefined, undefined])
    expect(of({ ...status, status: 'degraded' })).toEqual([undefined, undefined, undefined, undefined, 1])
    expect(of({ __name__: 'vedette_monitor_info', monitor_id: shop })).toEqual([1, 1, 1, 1, 1])
    // It was there until it was paused, a minute after it was made.
    expect(of({ __name__: 'vedette_monitor_info', instance: 'paused' })).toEqual([1, undefined, undefined, undefined, undefined])
    expect(series.filter(({ labels }) => labels['status'] === 'paused')).toEqual([])
  })
})

describe('checks that are older', () => {
  let organization: TestOrganization
  let region: number
  let todayMs: number
  beforeAll(async () => {
    organization = await backend.organization('Old')
    region = await seedRegion(backend, 'old-1')
    todayMs = Math.floor(backend.clock.now() / DAY_MS) * DAY_MS
    // Every tenth minute of three days that single checks are gone of, and of the last two.
    const monitor = await seedMonitor(backend, organization, 600)
    const seedDays = async (days: readonly number[], nowMs: number) => {
      const checks = days.flatMap((day) =>
        Array.from({ length: 144 }, (_, index): SeededCheck => {
          const outcome = index < 36 ? 2 : index < 48 ? 1 : 0
          const responseUs = outcome === 2 ? null : 1_000 * (100 + index)
          return { region, atMs: todayMs + day * DAY_MS + index * 10 * MINUTE, outcome, responseUs }
        }),
      )
      const until = checks.filter(({ atMs }) => atMs <= nowMs)
      await seedChecks(backend, organization, monitor.number, until)
      await compactChecks(backend.pool.db, createFakeClock(nowMs))
    }
    await seedDays([-40, -39, -38], todayMs - 36 * DAY_MS)
    await seedDays([-1, 0], backend.clock.now())
  })

  it('are read by the means of their days, and say so; then one by one', async () => {
    const { scope } = scopeOf(backend, organization)
    const borderMs = todayMs - 35 * DAY_MS
    const wanted = {
      ...instant(scope.nowMs, named('probe_success|vedette_check_degraded|probe_duration_seconds', '=~')),
      stepMs: 60_000,
    }
    const { series, hasMeans } = await source.read(scope, { ...wanted, fromMs: todayMs - 39 * DAY_MS })
    expect(hasMeans).toBe(true)
    const at = (name: string, atMs: number) => valueAt(only(series, { __name__: name, region: 'old-1' }), atMs)
    // The mean of a day stands at its end, and counts for a day.
    expect(at('probe_success', todayMs - 38 * DAY_MS + 1)).toBe(0.75)
    expect(at('probe_success', todayMs - 36.5 * DAY_MS)).toBe(0.75)
    expect(at('probe_success', todayMs - 36 * DAY_MS)).toBeUndefined()
    expect(at('vedette_check_degraded', todayMs - 37 * DAY_MS)).toBeCloseTo(12 / 144, 12)
    expect(at('probe_duration_seconds', todayMs - 37 * DAY_MS)).toBeCloseTo(0.1895, 12)
    expect(at('probe_success', borderMs + DAY_MS)).toBeUndefined()
    // A single check counts for half an hour and a minute here too.
    expect(at('probe_success', todayMs + 30 * MINUTE)).toBe(0)
    expect(at('probe_success', todayMs - DAY_MS + 6 * HOUR_MS)).toBe(1)
    expect(at('probe_success', todayMs - DAY_MS - 1)).toBeUndefined()
    const recent = await source.read(scope, { ...wanted, fromMs: todayMs })
    expect([recent.hasMeans, recent.series.length]).toEqual([false, 3])
  })

  it('are read by the hour where the steps are that long, unless a range wants them all', async () => {
    const { scope } = scopeOf(backend, organization)
    const fromMs = todayMs - DAY_MS - 1
    const wanted = { ...instant(scope.nowMs, named('probe_success')), fromMs, stepMs: HOUR_MS }
    const { series, hasMeans } = await source.read(scope, wanted)
    const [hourly] = series as [SeriesData]
    expect([hasMeans, hourly.atMs.length, hourly.lookbackMs]).toEqual([true, 42, HOUR_MS])
    expect(valueAt(hourly, todayMs - DAY_MS + 6 * HOUR_MS)).toBe(0)
    expect(valueAt(hourly, todayMs - DAY_MS + 7 * HOUR_MS)).toBe(1)
    const range = await source.read(scope, { ...wanted, rangeMs: HOUR_MS })
    expect([range.hasMeans, range.series[0]?.atMs.length]).toEqual([
      false,
      144 + 1 + Math.floor((scope.nowMs - todayMs) / (10 * MINUTE)),
    ])
  })

  it('have percentiles of each hour, and of each day before', async () => {
    const { scope } = scopeOf(backend, organization)
    const names = named('probe_duration_seconds:p(50|95|99)', '=~')
    const { series } = await source.read(scope, { ...instant(scope.nowMs, names), fromMs: todayMs - 39 * DAY_MS })
    const at = (percent: number, atMs: number) => valueAt(only(series, { __name__: `probe_duration_seconds:p${percent}` }), atMs)
    // The hour of the checks 48 to 53.
    expect([50, 95, 99].map((percent) => at(percent, todayMs + 9 * HOUR_MS))).toEqual([0.15, 0.153, 0.153])
    expect(at(95, todayMs - 38 * DAY_MS)).toBeCloseTo(0.237, 2)
    expect(at(95, todayMs + 6 * HOUR_MS)).toBeUndefined()
  })

  it('take as many statements of twenty monitors as of one', async () => {
    const other = await backend.organization('Many')
    const countOf = async () => {
      const { scope, count } = scopeOf(backend, other)
      const wanted = { ...instant(scope.nowMs, named('probe_.+|vedette_.+', '=~')), fromMs: todayMs - 39 * DAY_MS }
      const { series } = await source.read(scope, wanted)
      return { statements: count(), series: series.length }
    }
    const seed = async () => {
      const monitor = await seedMonitor(backend, other, 600)
      await seedChecks(backend, other, monitor.number, [{ region, atMs: todayMs, outcome: 0, responseUs: 1_000 }])
    }
    await seed()
    const one = await countOf()
    for (let index = 1; index < 20; index += 1) await seed()
    const many = await countOf()
    expect(many.series).toBe(20 * one.series)
    expect(many.statements).toBe(one.statements)
    expect(one.statements).toBeLessThan(25)
  })
})
