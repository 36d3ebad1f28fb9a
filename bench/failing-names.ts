import { once } from 'node:events'
import { startProberThread } from '../backend/src/checks/probe/index.ts'
import { type DnsReply, startDnsServer } from '../backend/src/checks/probe/test/dns-server.ts'
import { define } from '../backend/src/checks/probe/test/targets.ts'
import type { Arrival } from './check-targets.ts'
import { sleep } from './sleep.ts'
import { startChild } from './child.ts'
import { round2 } from './processes.ts'

const HEALTHY = 200
/** Of each kind. */
const FAILING = 20
const INTERVAL_MS = 1_000
const TIMEOUT_SECONDS = 2

/** What the name server says, by the first label; `flips` is 127.0.0.1 and 127.0.0.2 in turn. */
function replyTo(asked: Map<string, number>, name: string, family: 4 | 6): DnsReply {
  const [kind = ''] = name.split('-')
  if (kind === 'nxdomain') return 'NXDOMAIN'
  if (kind === 'servfail') return 'SERVFAIL'
  if (kind === 'silent') return 'SILENCE'
  if (family === 6) return { addresses: [] }
  const times = (asked.get(name) ?? 0) + 1
  asked.set(name, times)
  return { addresses: [kind === 'flips' && times % 2 === 0 ? '127.0.0.2' : '127.0.0.1'] }
}

/** Case F11: how late the others are, with and without names that fail, and what the failing ones are told to be. */
export async function checkFailingNames(seconds: number): Promise<object> {
  const targets = await startChild({ args: ['bench/check-targets.ts'] })
  const asked = new Map<string, number>()
  const dns = await startDnsServer((name, family) => replyTo(asked, name, family))
  const thread = startProberThread({ allowPrivateTargets: 'all', dnsServers: [dns.address] })
  const arrivals = async (): Promise<Arrival[]> => {
    targets.process.send('arrivals')
    return ((await once(targets.process, 'message')) as [Arrival[]])[0]
  }
  const check = async (name: string, n: number, atMs: number) => {
    const url = `http://${name}.test:${targets.ready}/m/${n}`
    const { outcome, error, address } = await thread.check(define(url, { timeout: TIMEOUT_SECONDS }), atMs)
    return { kind: name.split('-')[0] as string, seen: [outcome, error?.code ?? [], address ?? []].flat().join(' ') }
  }

  /** Each name once in an interval, at its own place. */
  async function run(names: readonly string[]): Promise<{ late: number[]; seen: Record<string, Record<string, number>> }> {
    await arrivals()
    const fromMs = Date.now() + 500
    const dueMs = (n: number, round: number) => fromMs + round * INTERVAL_MS + (n * INTERVAL_MS) / names.length
    const pending = Array.from({ length: seconds }, (_, round) => names.map((name, n) => check(name, n, dueMs(n, round)))).flat()
    const seen: Record<string, Record<string, number>> = {}
    for (const one of await Promise.all(pending)) {
      const of = (seen[one.kind] ??= {})
      of[one.seen] = (of[one.seen] ?? 0) + 1
    }
    const late = (await arrivals())
      .filter(([n]) => names[n]?.startsWith('healthy') === true)
      .map(([n, atMs]) => atMs - dueMs(n, Math.round((atMs - dueMs(n, 0)) / INTERVAL_MS)))
    return { late: late.toSorted((a, b) => a - b), seen }
  }

  const named = (kind: string, count: number) => Array.from({ length: count }, (_, n) => `${kind}-${n}`)
  const kinds = ['nxdomain', 'servfail', 'silent', 'flips']
  try {
    await run(named('healthy', HEALTHY))
    const alone = await run(named('healthy', HEALTHY))
    const mixed = await run([...named('healthy', HEALTHY), ...kinds.flatMap((kind) => named(kind, FAILING))])
    await sleep(100)
    const { healthy = {}, flips = {}, ...failing } = mixed.seen
    const at = (late: number[], share: number) =>
      round2(late[Math.min(late.length - 1, Math.floor(late.length * share))] ?? Number.NaN)
    const lateness = ({ late }: typeof alone) => ({
      checks: late.length,
      p50: at(late, 0.5),
      p99: at(late, 0.99),
      max: at(late, 1),
    })
    const isDns = Object.values(failing).every((of) => Object.keys(of).join() === 'down dns')
    const isUp = [healthy, flips].every((of) => Object.keys(of).every((seen) => seen.startsWith('up ')))
    return {
      case: 'F11',
      passes: isDns && isUp && lateness(mixed).p99 <= Math.max(10, 1.5 * lateness(alone).p99),
      alone: lateness(alone),
      besideFailing: lateness(mixed),
      seen: mixed.seen,
    }
  } finally {
    await thread.close()
    await dns.close()
    await targets.stop()
  }
}
