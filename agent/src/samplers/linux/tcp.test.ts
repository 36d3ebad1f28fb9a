import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../test/fake-clock.ts'
import { systemClock } from '../../process/clock.ts'
import { fixture, fixturePath } from './fixtures.ts'
import { parseSnmpTcp, parseSockstat, TcpSampler } from './tcp.ts'
import { countStates, StateCounter } from './tcp-states.ts'

const SNMP = fixture('constructed/snmp-old')
const SOCKSTAT = 'sockets: used 13\nTCP: inuse 20 orphan 0 tw 7 alloc 21 mem 167\nUDP: inuse 0 mem 0\n'
const TEXTS = { snmp: SNMP, sockstat: SOCKSTAT }

test('columns are read by their names', () => {
  expect(parseSnmpTcp(SNMP)).toMatchObject({ established: 17, retransmits: 55 })
  expect(parseSnmpTcp(fixture('recorded/proc/net/snmp')).established).toBeGreaterThanOrEqual(0)
  const unknown = { established: undefined, retransmits: undefined, resets: undefined }
  for (const text of ['', 'Tcp: CurrEstab\n', 'Ip: CurrEstab\nIp: 1\n', 'Tcp: Other\nTcp: 1\n']) {
    expect(parseSnmpTcp(text)).toEqual(unknown)
  }
})

test('sockets in use and in TIME_WAIT are read', () => {
  expect(parseSockstat(SOCKSTAT)).toEqual({ inUse: 20, timeWait: 7 })
  expect(parseSockstat(fixture('recorded/proc/net/sockstat'))).toBeDefined()
  expect(parseSockstat('sockets: used 1\n')).toBeUndefined()
})

describe('StateCounter', () => {
  const bytes = Buffer.from(fixture('constructed/tcp-states'))
  const expected = [0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0]

  test.each([1, 2, 3, 7, 64, 4096, 65_536])('counts the same in pieces of %i bytes', (size) => {
    const counter = new StateCounter()
    for (let at = 0; at < bytes.length; at += size) counter.add(bytes.subarray(at, at + size))
    expect(counter.counts).toEqual(expected)
    expect(counter.sockets).toBe(12)
  })
})

describe('countStates', () => {
  const tcp = fixturePath('recorded/proc/net/tcp')
  test('sums the files and ignores a missing one', async () => {
    const counts = await countStates(systemClock, [tcp, fixturePath('nowhere')], 100)
    expect([counts?.[10], counts?.[6]]).toEqual([1, 5])
  })
  test('stops at the ceiling', async () => expect(await countStates(systemClock, [tcp], 5)).toBeUndefined())
  test('is undefined without files', async () =>
    expect(await countStates(systemClock, [fixturePath('nowhere')], 5)).toBeUndefined())
})

describe('TcpSampler', () => {
  const states = [0, 12, 1, 2, 3, 4, 7, 0, 5, 6, 8, 9, 0, 0, 0, 0]

  test('has states in the first sample and only counters in the next minute [SAMPLE-12]', async () => {
    const clock = new FakeClock()
    let listings = 0
    const sampler = new TcpSampler(clock, () => Promise.resolve(listings++ < 9 ? states : undefined))
    sampler.prime(TEXTS)
    await clock.advance(1_000)
    expect(await sampler.read(TEXTS, 30_000)).toEqual({
      established: 12,
      syn_sent: 1,
      syn_recv: 2,
      fin_wait: 7,
      time_wait: 7,
      close_wait: 5,
      last_ack: 6,
      listen: 8,
      closing: 9,
      retransmits_per_sec: 0,
      resets_per_sec: 0,
    })
    await clock.advance(10_000)
    const second = await sampler.read({ ...TEXTS, snmp: SNMP.replace(' 55 ', ' 75 ') }, 30_000)
    expect(second).toMatchObject({ established: 12, time_wait: 7, listen: undefined, retransmits_per_sec: 2 })
    expect(listings).toBe(1)
    await clock.advance(49_998)
    await sampler.read(TEXTS, 30_000)
    expect(listings).toBe(2)
  })

  test('makes no listing with too many sockets and uses the kernel’s count of established ones', async () => {
    const sampler = new TcpSampler(new FakeClock(), () => Promise.reject(new Error('must not be asked')))
    const many = { snmp: SNMP, sockstat: SOCKSTAT.replace('tw 7', 'tw 19990') }
    expect(await sampler.read(many, 30_000)).toMatchObject({ established: 17, time_wait: 19_990, listen: undefined })
  })

  test('delays no sample when a listing hangs and starts no second one', async () => {
    const clock = new FakeClock()
    let listings = 0
    const sampler = new TcpSampler(clock, () => {
      listings++
      return Promise.withResolvers<undefined>().promise
    })
    for (const _ of [1, 2]) {
      const reading = sampler.read(TEXTS, 30_000)
      await clock.advance(500)
      expect(await reading).toMatchObject({ established: 17, listen: undefined })
      await clock.advance(70_000)
    }
    expect(listings).toBe(1)
  })

  test('leaves the fields of missing files absent [SAMPLE-15]', async () => {
    const sampler = new TcpSampler(new FakeClock(), () => Promise.resolve(undefined))
    const fields = await sampler.read({ snmp: undefined, sockstat: undefined }, 30_000)
    expect(Object.values(fields).every((value) => value === undefined)).toBe(true)
  })
})
