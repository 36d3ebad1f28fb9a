import type { AlertRule, IncidentItem } from '@vedette/shared'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { scheduleTask } from '../components/chart/schedule-task.ts'
import { programOf } from '../features/account/program.ts'
import { toTarget, toTargetInput } from './alert-target.ts'
import { auditedName, nameIn } from './audit.ts'
import { createBatcher } from './batcher.ts'
import { conditionText, metricLabel } from './condition-text.ts'
import { foldIncidents } from './fold-incidents.ts'
import { spansOf } from './phases.ts'
import { grantableRoles, roleDescription, roleName } from './roles.ts'
import { segmentsOf } from './segments.ts'
import { serverName } from './server-name.ts'
import { statusName } from './status.ts'
import { appliesTo } from './target-queries.ts'
import { daySlots } from './uptime.ts'

describe('a line with gaps', () => {
  it.each([
    [[], []],
    [[null, null], []],
    [[1, 2], [[0, 1]]],
    [
      [null, 1, null, 2, 3, null],
      [[1], [3, 4]],
    ],
    [
      [0, null, 0],
      [[0], [2]],
    ],
  ])('of %j is drawn in the runs %j', (values, runs) =>
    expect(segmentsOf(values).map((run) => run.map(({ index }) => index))).toEqual(runs),
  )
})

describe('a day of uptime', () => {
  it.each([
    [null, 'none'],
    [100, 'good'],
    [99.99, 'warn'],
    [95, 'warn'],
    [94.99, 'bad'],
    [0, 'bad'],
  ])('of %s is %s', (value, tone) => expect(daySlots([value])).toEqual([{ tone, value }]))
})

describe('the phases of a check', () => {
  const none = { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null, transfer_ms: null }
  it('follow each other, without those that did not happen', () =>
    expect(spansOf({ ...none, dns_ms: 2, connect_ms: 3, first_byte_ms: 10 })).toEqual([
      { phase: 'dns', start: 0, length: 2 },
      { phase: 'connect', start: 2, length: 3 },
      { phase: 'first_byte', start: 5, length: 10 },
    ]))
  it('are none where nothing was reached', () => expect(spansOf(none)).toEqual([]))
})

describe('repeated incidents', () => {
  const incident = (id: string, rule: string, target: string) =>
    ({ id, origin: { id: rule }, target: { id: target } }) as IncidentItem
  it('of one rule and target are one entry at the place of the newest', () => {
    const all = [incident('4', 'r', 'a'), incident('3', 'r', 'b'), incident('2', 'r', 'a'), incident('1', 's', 'a')]
    const folded = foldIncidents(all).map(({ incident: { id }, earlier }) => [id, earlier.map((each) => each.id)])
    expect(folded).toEqual([
      ['4', ['2']],
      ['3', []],
      ['1', []],
    ])
  })
})

describe('the condition of a rule', () => {
  const rule = (type: 'monitor' | 'server', condition: object, forSeconds = 0) =>
    ({ target: { type }, condition: { mount: null, ...condition }, for_seconds: forSeconds }) as unknown as AlertRule
  it.each([
    [rule('monitor', { metric: 'status', operator: 'equals', value: 'down' }), 'Status is down'],
    [rule('server', { metric: 'cpu.percent', operator: 'greater_than', value: 90 }, 300), 'CPU usage is above 90 % for 5 min'],
    [
      rule('server', { metric: 'filesystem.percent', operator: 'greater_than', value: 90, mount: '/var' }),
      'Filesystem usage on /var is above 90 %',
    ],
    [rule('monitor', { metric: 'certificate_days', operator: 'less_than', value: 14 }), 'Certificate expiry is below 14 days'],
    [
      rule('server', { metric: 'entity.container.memory_percent', operator: 'greater_than', value: 90, name: 'shop/*' }, 120),
      'Container shop/*: Memory usage is above 90 % for 2 min',
    ],
    [
      rule('server', { metric: 'entity.sensor.temperature_celsius', operator: 'greater_than', value: 80 }),
      'Sensor: Temperature is above 80 °C',
    ],
    [rule('server', { metric: 'entity.unit.running', operator: 'equals', value: 0, name: 'ssh*' }), 'Unit ssh*: Running is no'],
    [rule('server', { metric: 'gpu.percent', operator: 'differs', value: 1 }), 'gpu.percent differs 1'],
  ])('reads as a sentence', (given, text) => expect(conditionText(given)).toBe(text))
  it('of a metric that the page does not know has its name of the API', () =>
    expect(metricLabel('server', 'gpu.percent')).toEqual({ name: 'gpu.percent', unit: '' }))
})

describe('the target of a rule', () => {
  it.each([
    { type: 'server', id: null, tag: null },
    { type: 'monitor', id: null, tag: 'web' },
    { type: 'monitor', id: 'mon_1', tag: null },
  ] as const)('is the same after the form: %j', (target) => expect(toTarget(toTargetInput(target))).toEqual(target))
  it('that is not chosen yet is sent empty, so that the field is named', () => {
    expect(toTarget({ type: 'monitor', scope: 'single', tag: '', id: undefined }).id).toBe('')
    expect(toTarget({ type: 'monitor', scope: 'tag', tag: '  web ', id: 'mon_1' })).toEqual({
      type: 'monitor',
      id: null,
      tag: 'web',
    })
  })
  it.each([
    [{ type: 'monitor', id: null, tag: null }, true],
    [{ type: 'server', id: null, tag: null }, false],
    [{ type: 'monitor', id: 'mon_1', tag: null }, true],
    [{ type: 'monitor', id: 'mon_2', tag: null }, false],
    [{ type: 'monitor', id: null, tag: 'web' }, true],
    [{ type: 'monitor', id: null, tag: 'db' }, false],
  ] as const)('%j applies: %s', (target, expected) =>
    expect(appliesTo(target, { type: 'monitor', id: 'mon_1', tags: ['web', 'eu'] })).toBe(expected),
  )
})

describe('a name', () => {
  it.each([
    [{ name: 'Shop', hostname: 'web' }, 'Shop'],
    [{ hostname: 'web' }, 'web'],
    [{ email: 'ada@example.com' }, 'ada@example.com'],
    [{ summary: 'Shop is down' }, 'Shop is down'],
    [{ name: 7 }, ''],
    [null, ''],
    ['text', ''],
  ])('of the audited %j is %j', (details, name) => expect(auditedName(details)).toBe(name))
  it('of an event is the text of its field alone', () =>
    expect([nameIn({ a: 'x' }, 'a'), nameIn({ a: {} }, 'a')]).toEqual(['x', '']))
  it('of a server is the one that it was given', () => {
    expect(serverName({ display_name: 'Shop', hostname: 'web-1' })).toBe('Shop')
    expect(serverName({ display_name: null, hostname: 'web-1' })).toBe('web-1')
  })
  it('of a status or role that the page does not know is that of the API', () => {
    expect([statusName('down'), statusName('on_fire'), roleName('owner'), roleName('king')]).toEqual([
      'Down',
      'on_fire',
      'Owner',
      'king',
    ])
    expect(roleDescription('king')).toBe('')
  })
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox · Linux'],
    ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0', 'Chrome · Windows'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1', 'Safari · iPhone'],
    ['curl/8.9', 'curl/8.9'],
    ['', 'Unknown program'],
    ['x'.repeat(200), 'x'.repeat(60)],
  ])('of the program %s is %s', (userAgent, name) => expect(programOf(userAgent)).toBe(name))
})

describe('the roles that one may grant', () => {
  it.each([
    ['viewer', ['viewer']],
    ['admin', ['viewer', 'member', 'admin']],
    ['owner', ['viewer', 'member', 'admin', 'owner']],
  ] as const)('as %s are %j', (own, roles) => expect(grantableRoles(own)).toEqual(roles))
})

describe('with a clock', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
  afterEach(() => void vi.useRealTimers())

  it('a batch is handed over soon after its first item, the next one after the pause', () => {
    const batches: number[][] = []
    const { add, stop } = createBatcher<number>([4_000, 9_000], (items) => void batches.push(items))
    for (const item of [1, 2, 3]) add(item)
    vi.advanceTimersByTime(149)
    expect(batches).toEqual([])
    vi.advanceTimersByTime(1)
    expect(batches).toEqual([[1, 2, 3]])
    add(4)
    vi.advanceTimersByTime(3_000)
    add(5)
    expect(batches).toHaveLength(1)
    vi.advanceTimersByTime(1_000)
    expect(batches).toEqual([
      [1, 2, 3],
      [4, 5],
    ])
    add(6)
    stop()
    vi.advanceTimersByTime(60_000)
    expect(batches).toHaveLength(2)
  })

  it('pauses between batches grow while items keep coming, and begin again after a quiet time', () => {
    const at: number[] = []
    const startedAt = performance.now()
    const { add } = createBatcher<number>([4_000, 8_000, 12_000], () => void at.push(performance.now() - startedAt))
    for (let second = 0; second < 60; second += 1) {
      add(second)
      vi.advanceTimersByTime(1_000)
    }
    expect(at).toEqual([150, 4_150, 12_150, 24_150, 36_150, 48_150])
    vi.advanceTimersByTime(60_000)
    at.length = 0
    const quietAt = performance.now() - startedAt
    add(1)
    vi.advanceTimersByTime(1_000)
    add(2)
    vi.advanceTimersByTime(4_000)
    expect(at.map((ms) => ms - quietAt)).toEqual([150, 4_150])
  })

  it('tasks run one after the other, without those that were canceled', () => {
    const ran: number[] = []
    const cancels = [1, 2, 3].map((task) => scheduleTask(() => void ran.push(task)))
    cancels[1]?.()
    expect(ran).toEqual([])
    vi.advanceTimersToNextTimer()
    expect(ran).toEqual([1])
    vi.runAllTimers()
    expect(ran).toEqual([1, 3])
  })
})
