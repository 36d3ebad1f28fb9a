import { describe, expect, test } from 'vitest'
import { createProber } from '../../../index.ts'
import { defineCheck } from '../../../test/define-check.ts'
import { encodeEcho, isReplyTo, numberOfReply } from '../echo.ts'
import { figuresOf } from '../figures.ts'
import { createIcmpKind } from '../index.ts'
import type { PingEvents, PingOrder } from '../pinger.ts'
import { runs } from './runs.ts'
import { createSystemPinger, parseReply, pingArguments } from '../system-pinger.ts'

describe('figures', () => {
  test.each([
    [[undefined, undefined], { packet_loss: 100 }],
    [[1_500], { packet_loss: 0, rtt_min_ms: 1.5, rtt_avg_ms: 1.5, rtt_max_ms: 1.5 }],
    [[1_000, undefined, 3_000], { packet_loss: 33.3, rtt_min_ms: 1, rtt_avg_ms: 2, rtt_max_ms: 3, jitter_ms: 2 }],
    [[1_000, 4_000, 1_000], { packet_loss: 0, rtt_min_ms: 1, rtt_avg_ms: 2, rtt_max_ms: 4, jitter_ms: 3 }],
  ])('of %j are %j', (rtts, figures) => {
    expect(figuresOf(rtts)).toEqual(figures)
  })
})

describe('an echo reply', () => {
  const request = encodeEcho(4, 70_000, 16)
  const replyTo = (change: (reply: Buffer) => void = () => {}) => {
    const reply = Buffer.from(request)
    reply[0] = 0
    // The kernel rewrites the identifier.
    reply.writeUInt16BE(4_711, 4)
    change(reply)
    return reply
  }

  test('is recognized by number, sequence and token, not by the identifier', () => {
    expect(numberOfReply(4, replyTo())).toBe(70_000)
    expect(isReplyTo(request, replyTo())).toBe(true)
  })

  test('with any other byte before the end of its token is none', () => {
    for (const at of [6, 7, ...Array.from({ length: 12 }, (_, n) => 8 + n)])
      expect(
        isReplyTo(
          request,
          replyTo((reply) => (reply[at] = (reply[at] as number) ^ 1)),
        ),
      ).toBe(false)
  })

  test('that is cut, or of another type or family, is none', () => {
    for (let length = 0; length < 20; length += 1) expect(numberOfReply(4, replyTo().subarray(0, length))).toBeUndefined()
    expect(numberOfReply(6, replyTo())).toBeUndefined()
    expect(numberOfReply(4, request)).toBeUndefined()
  })
})

describe("the system's program", () => {
  test.each([
    ['64 bytes from 127.0.0.1: icmp_seq=1 ttl=64 time=0.033 ms', { sequence: 1, rttUs: 33 }],
    ['64 bytes from ::1: icmp_seq=2 ttl=64 time=12 ms', { sequence: 2, rttUs: 12_000 }],
    ['64 bytes from 10.0.0.1: seq=0 ttl=64 time=0.098 ms', { sequence: 0, rttUs: 98 }],
    ['16 bytes from fe80::1%en0, icmp_seq=0 hlim=64 time<1 ms', { sequence: 0, rttUs: 1_000 }],
    ['From 10.0.0.1 icmp_seq=1 Destination Host Unreachable', undefined],
    ['rtt min/avg/max/mdev = 0.033/0.036/0.039/0.002 ms', undefined],
    ['icmp_seq=1 time=... ms', undefined],
    ['', undefined],
  ])('reports %j as %j', (line, reply) => {
    expect(parseReply(line)).toEqual(reply)
  })

  test('gets an address and numbers only', () => {
    const order = { address: '::1', family: 6, packets: 3, packetBytes: 56, timeoutMs: 5_000 } as const
    expect(pingArguments(order, 'linux')).toEqual('-n -c 3 -s 56 -i 0.2 -W 5 -6 ::1'.split(' '))
    expect(pingArguments(order, 'darwin')).toEqual('-n -c 3 -s 56 ::1'.split(' '))
  })

  test.skipIf(!runs('ping', '-c', '1', '127.0.0.1'))('replies for the loopback address', async () => {
    const prober = createProber({ allowPrivateTargets: 'all' }, { kinds: [createIcmpKind(createSystemPinger)] })
    const result = await prober.check(defineCheck('icmp', 'icmp://127.0.0.1', { packets: 2 }))
    prober.close()
    expect(result).toMatchObject({ outcome: 'up', facts: { packet_loss: 0 } })
  })
})

describe('a check', () => {
  const runWith = async (script: (order: PingOrder, events: PingEvents) => void, change = {}) => {
    const orders: PingOrder[] = []
    const kind = createIcmpKind(() => ({
      start(order, events) {
        orders.push(order)
        script(order, events)
        return () => {}
      },
    }))
    const prober = createProber({ allowPrivateTargets: 'all', hostsFile: '/nonexistent' }, { kinds: [kind] })
    const result = await prober.check(defineCheck('icmp', 'icmp://127.0.0.1', { packets: 4, ...change }, { timeout: 1 }))
    prober.close()
    return { orders, result }
  }

  test('with some replies is up, and its response time is their mean', async () => {
    const { result } = await runWith((_order, { reply, end }) => {
      reply(0, 1_000)
      reply(2, 3_000)
      end()
    })
    expect(result).toMatchObject({ outcome: 'up', response_ms: 2, first_byte_ms: 2, address: '127.0.0.1' })
    expect(result.facts).toEqual({ packet_loss: 50, rtt_min_ms: 1, rtt_avg_ms: 2, rtt_max_ms: 3, jitter_ms: 2 })
  })

  test('without any reply is down at its timeout', async () => {
    const { result } = await runWith(() => {})
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'timeout' }, facts: { packet_loss: 100 }, response_ms: null })
  })

  test('that cannot be sent is inconclusive', async () => {
    const { result } = await runWith((_order, { fault }) => fault({ code: 'internal', message: 'no ping here' }))
    expect(result).toMatchObject({ outcome: 'inconclusive' })
  })

  test('of a family that the host does not have is down', async () => {
    const { result, orders } = await runWith(() => {}, { family: 'ipv6' })
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'dns', message: 'the host has no IPv6 address' } })
    expect(orders).toEqual([])
  })
})
