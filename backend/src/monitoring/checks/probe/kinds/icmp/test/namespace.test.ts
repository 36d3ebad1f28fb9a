import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { CheckResult } from '@vedette/shared'
import { beforeAll, describe, expect, test } from 'vitest'
import { runs } from './runs.ts'
import { VEDETTE } from '../../../../../../../../scripts/test-tools.ts'

// Real sockets and a probe, in network namespaces.

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
  const CHECK = [process.execPath, VEDETTE, 'probe', 'check', '--json']

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
