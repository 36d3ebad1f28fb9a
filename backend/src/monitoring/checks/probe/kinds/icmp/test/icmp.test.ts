import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { CheckResult } from '@vedette/shared'
import { beforeAll, describe, expect, test } from 'vitest'
import { createProber } from '../../../index.ts'
import { defineCheck } from '../../../test/define-check.ts'
import { encodeEcho, isReplyTo, numberOfReply } from '../echo.ts'
import { figuresOf } from '../figures.ts'
import { createIcmpKind } from '../index.ts'
import type { PingEvents, PingOrder } from '../pinger.ts'
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

const NAMESPACE = ['-rn', process.execPath, new URL('./in-namespace.ts', import.meta.url).pathname]

describe.skipIf(process.platform !== 'linux' || !runs('unshare', '-rn', 'ip', 'tuntap', 'add', 'tun1', 'mode', 'tun'))(
  'one socket of a network namespace',
  () => {
    let said: Record<string, CheckResult> & { many: CheckResult[] }
    beforeAll(async () => {
      const { stdout } = await promisify(execFile)('unshare', NAMESPACE, { timeout: 100_000 })
      said = JSON.parse(stdout) as typeof said
    })

    test('reaches both families', () => {
      for (const result of [said['ipv4'], said['ipv6']])
        expect(result).toMatchObject({ outcome: 'up', error: null, facts: { packet_loss: 0 } })
    })

    test('measures loss', () => {
      expect(said['lossy']).toMatchObject({ outcome: 'up', facts: { packet_loss: 25 } })
      expect(said['silent']).toMatchObject({ outcome: 'down', error: { code: 'timeout' }, facts: { packet_loss: 100 } })
    })

    test('measures delay and jitter', () => {
      // The probe's own delay is left out, so that on a busy machine the figures are smaller, never larger.
      const { rtt_min_ms = 0, rtt_max_ms = 0, jitter_ms } = said['slow']?.facts ?? {}
      expect(Number(rtt_max_ms)).toBeGreaterThan(Number(rtt_min_ms))
      expect(jitter_ms).toBeGreaterThan(0)
    })

    test('assigns replies in another order to their packets', () => {
      expect(said['disordered']).toMatchObject({ outcome: 'up', facts: { packet_loss: 0 } })
    })

    test('serves many checks at once', () => {
      expect(said.many.map(({ outcome, facts }) => `${outcome} ${facts?.['packet_loss']}`)).toEqual(
        Array.from({ length: 90 }, () => 'up 0'),
      )
    })

    test('without a way to the target is inconclusive', () => {
      expect(said['unreachable']).toMatchObject({ outcome: 'inconclusive' })
    })

    test('is reported with what opens it', () => {
      expect(said['opened']).toMatchObject([{ way: 'socket', remedy: null }, { way: 'socket' }])
      const ways = said['closed'] as unknown as { way: string; remedy: string }[]
      for (const { way, remedy } of ways) {
        expect(way).not.toBe('socket')
        expect(remedy).toContain('net.ipv4.ping_group_range')
      }
    })
  },
)

const ROOT = new URL('../../../../../../../../', import.meta.url).pathname
const OPEN = 'ip link set lo up; echo 0 0 >/proc/sys/net/ipv4/ping_group_range'
/** Runs a program of a Node that cannot open ping sockets, by the recipe of the docs, in a network namespace of its own. */
const inheriting = async (...program: string[]): Promise<string> => {
  const recipe = /```python\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'docs/checks.md'), 'utf8'))?.[1] ?? ''
  const words = ['-rn', 'sh', '-c', `${OPEN}; exec python3 -c "$@"`, 'sh', recipe, ...program]
  const env = { ...process.env, NODE_OPTIONS: '--no-experimental-ffi' }
  const { stdout } = await promisify(execFile)('unshare', words, { timeout: 60_000, env })
  return stdout
}

describe.skipIf(!runs('unshare', '-rn', 'sh', '-c', `${OPEN} && python3 -c 1`))('inherited sockets of a parent process', () => {
  const CHECK = [process.execPath, join(ROOT, 'backend/src/main.ts'), 'probe', 'check', '--json']

  test('serve many checks at once', async () => {
    const results = await inheriting(process.execPath, new URL('./over-inherited.ts', import.meta.url).pathname)
    expect(JSON.parse(results)).toEqual(Array.from({ length: 120 }, () => 'up 0'))
  })

  test('are what probe check reports', async () => {
    const { icmp } = JSON.parse(await inheriting(...CHECK)) as Examined
    for (const way of icmp)
      expect(way).toMatchObject({ way: 'socket', detail: expect.stringContaining('descriptor'), remedy: null })
  })

  test('are not used when they are of another family or none', async () => {
    const change = 'VEDETTE_ICMP6_FD=$VEDETTE_ICMP_FD VEDETTE_ICMP_FD=3000 "$@" || true'
    const { icmp } = JSON.parse(await inheriting('sh', '-c', change, 'sh', ...CHECK)) as Examined
    for (const { way, remedy } of icmp) {
      expect(way).not.toBe('socket')
      expect(remedy).toMatch(/^Descriptor \d+ is no bound ping socket/)
    }
  })
})

interface Examined {
  icmp: { way: string; remedy: string }[]
}

function runs(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore', timeout: 5_000 })
    return true
  } catch {
    return false
  }
}
