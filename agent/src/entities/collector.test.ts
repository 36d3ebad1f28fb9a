import { expect, test } from 'vitest'
import { MAX_ENTITIES, MAX_ENTITY_EVENTS, MAX_EVENT_LINES } from '@vedette/shared/entities/limits'
import { FakeClock } from '../../test/fake-clock.ts'
import { EntityCollector } from './collector.ts'
import type { EntityEvent, EntityReading, EntitySource } from './source.ts'

const container = (name: string, attributes?: Record<string, string>): EntityReading => ({
  kind: 'container',
  name,
  values: { running: 1 },
  ...(attributes && { attributes }),
})

function collect(...sources: Partial<EntitySource>[]) {
  const clock = new FakeClock()
  const logged: string[] = []
  let early = 0
  const collector = new EntityCollector(
    {
      clock,
      log: (_level, message, fields) => void logged.push(`${message}: ${String(fields?.['reason'] ?? '')}`),
      sources: sources.map((source, index) => ({ name: `source ${index}`, read: () => Promise.resolve([]), ...source })),
    },
    () => {
      early += 1
    },
  )
  return { clock, collector, logged, early: () => early }
}

test('a source that never answers is left out, and not called again', async () => {
  let calls = 0
  const { clock, collector, logged } = collect(
    {
      read: () => {
        calls += 1
        return Promise.withResolvers<EntityReading[]>().promise
      },
    },
    { read: () => Promise.resolve([container('web')]) },
  )
  for (let read = 0; read < 2; read++) {
    const reading = collector.read(1)
    await clock.advance(5_000)
    expect((await reading).map(({ name }) => name)).toEqual(['web'])
  }
  expect(calls).toBe(1)
  expect(logged).toEqual(['cannot read source 0: no answer within 5 s'])
})

test('a fault is logged once until it changes, and costs no other source', async () => {
  let fault = 'ENOENT'
  const { collector, logged } = collect(
    { read: () => Promise.reject(new Error(fault)) },
    { read: () => Promise.resolve([container('web')]) },
  )
  for (const next of ['ENOENT', 'EACCES', 'EACCES']) {
    expect(await collector.read(1)).toHaveLength(1)
    fault = next
  }
  await collector.read(1)
  expect(logged).toEqual(['cannot read source 0: ENOENT', 'cannot read source 0: EACCES'])
})

test('attributes are sent where they changed, and all of them once an hour', async () => {
  let image = 'a'
  const { clock, collector } = collect({ read: () => Promise.resolve([container('web', { image })]) })
  const sent = async () => (await collector.read(1))[0]?.attributes
  expect(await sent()).toEqual({ image: 'a' })
  expect(await sent()).toBeUndefined()
  image = 'b'
  expect(await sent()).toEqual({ image: 'b' })
  await clock.advance(3_600_000)
  expect(await sent()).toEqual({ image: 'b' })
})

test('the same object of attributes is sent once, and again after an hour', async () => {
  const same = container('web', { image: 'a' })
  const { clock, collector } = collect({ read: () => Promise.resolve([same]) })
  const sent = async () => (await collector.read(1))[0]?.attributes
  expect([await sent(), await sent()]).toEqual([{ image: 'a' }, undefined])
  await clock.advance(3_600_000)
  expect(await sent()).toEqual({ image: 'a' })
})

test('each name is sent once, cut to what a push takes', async () => {
  const many = Array.from({ length: MAX_ENTITIES + 5 }, (_, index) => container(`c${index}`))
  const { collector, logged } = collect({
    read: () =>
      Promise.resolve([container('x'.repeat(300)), container('twice', { a: '1' }), container('twice'), container(''), ...many]),
  })
  const found = await collector.read(1)
  expect(found).toHaveLength(MAX_ENTITIES)
  expect(found[0]?.name).toHaveLength(256)
  expect(found.filter(({ name }) => name === 'twice')).toHaveLength(1)
  await collector.read(1)
  expect(logged).toEqual(['this host has more entities than a push takes: the rest is left out: '])
})

test('events are reported at once, the newest of a storm are kept, and none of a batch that was not formed is lost', () => {
  let report: (event: EntityEvent) => void = () => undefined
  const { collector, early } = collect({
    watch: (to) => {
      report = to
    },
  })
  const died = (exit_code: number): EntityEvent => ({
    at: '2026-11-20T18:00:00.000Z',
    kind: 'container',
    name: 'web',
    type: 'died',
    exit_code,
    lines: Array.from({ length: 30 }, (_, index) => `${index}\0${'y'.repeat(600)}`),
  })
  for (let code = 0; code <= MAX_ENTITY_EVENTS; code++) report(died(code))
  expect(early()).toBe(MAX_ENTITY_EVENTS + 1)
  const events = collector.takeEvents()
  expect(events.map(({ exit_code }) => exit_code)).toEqual(Array.from({ length: MAX_ENTITY_EVENTS }, (_, index) => index + 1))
  expect(events[0]?.lines).toHaveLength(MAX_EVENT_LINES)
  expect(events[0]?.lines?.[0]).toMatch(/^10y+$/)
  expect(events[0]?.lines?.[0]).toHaveLength(511)
  expect(collector.takeEvents()).toEqual([])
  collector.returnEvents(events.slice(0, 1))
  report(died(7))
  expect(collector.takeEvents().map(({ exit_code }) => exit_code)).toEqual([1, 7])
})

test('a source that the backend switched off is closed once, sends nothing, and begins again', async () => {
  let isOff = false
  const calls: string[] = []
  let happen: (event: EntityEvent) => void = () => undefined
  const source: EntitySource = {
    name: 'containers',
    optional: 'containers',
    prime: () => void calls.push('prime'),
    read: () => Promise.resolve((calls.push('read'), [container('web')])),
    watch: (report) => (happen = report),
    close: () => void calls.push('close'),
  }
  const always: EntitySource = {
    name: 'limits',
    read: () => Promise.resolve([{ kind: 'limit', name: 'processes', values: { used: 1 } }]),
  }
  const switches = { isOff: (name: string | undefined) => isOff && name === 'containers' }
  const collector = new EntityCollector({ clock: new FakeClock(), log: () => undefined, sources: [source, always], switches })
  const names = async () => (await collector.read(1)).map(({ name }) => name)
  const end = () => happen({ kind: 'container', name: 'web', type: 'died', at: '2026-01-01T00:00:00.000Z' })
  expect(await names()).toEqual(['web', 'processes'])
  isOff = true
  end()
  await collector.prime()
  for (let read = 0; read < 2; read++) expect(await names()).toEqual(['processes'])
  expect(collector.takeEvents()).toEqual([])
  isOff = false
  expect(await names()).toEqual(['web', 'processes'])
  expect(calls).toEqual(['read', 'close', 'read'])
})
