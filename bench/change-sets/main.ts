/**
 * Files of a large configuration.
 *
 *   npm run bench -- change-sets [--monitors 2000] [--rules 300] [--rounds 3]
 *
 * `vedette serve` runs as the launcher starts it, on an embedded Postgres of its own. A change set of --monitors monitors and --rules
 * rules is planned, applied, planned again and taken back, --rounds times; the medians count. The longest answer of /health meanwhile
 * shows whether others wait.
 *
 * Goals: planned in 2 s, applied in 10 s, planned again in 1 s, 2 MiB at rest.
 */
import { parseArgs } from 'node:util'
import type { ChangeSet } from '../../shared/src/index.ts'
import { post, signIn, startBackend } from '../lib/backend.ts'
import { median } from '../lib/processes.ts'
import { printFigures } from '../lib/result.ts'

const { values } = parseArgs({
  options: {
    monitors: { type: 'string', default: '2000' },
    rules: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '3' },
  },
})
const [monitors, rules] = [Number(values.monitors), Number(values.rules)]
const many = <T>(count: number, one: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => one(index))

const resources = [
  ...many(monitors, (index) => ({
    kind: 'monitor',
    ref: `shop/${index}`,
    spec: { name: `Shop ${index}`, url: `https://shop-${index}.example.com`, tags: ['shop'], interval: 300 },
  })),
  ...many(rules, (index) => ({
    kind: 'alert_rule',
    ref: `shop/${index}`,
    spec: {
      name: `Shop ${index} down`,
      target: { type: 'monitor', id: { ref: `monitor:shop/${index}` } },
      condition: { metric: 'status', operator: 'equals', value: 'down' },
    },
  })),
]

const backend = await startBackend('serve', [], { VEDETTE_LOCAL_AGENT: 'off' })
const seconds: Record<'plan' | 'apply' | 'again' | 'undo', number[]> = { plan: [], apply: [], again: [], undo: [] }
let longestMs = 0
try {
  const headers = { authorization: `Bearer ${await signIn(backend.url)}` }
  const ending = new AbortController()
  const pinging = (async () => {
    while (!ending.signal.aborted) {
      const at = performance.now()
      await (await fetch(`${backend.url}/health`)).text()
      longestMs = Math.max(longestMs, performance.now() - at)
    }
  })()
  const timed = async (what: keyof typeof seconds, path: string, body?: object): Promise<ChangeSet> => {
    const at = performance.now()
    const set = (await post(`${backend.url}/v1/change-sets${path}`, headers, body)) as ChangeSet
    seconds[what].push((performance.now() - at) / 1000)
    return set
  }
  const wanted = { owner: 'git:bench', resources }
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const { id } = await timed('plan', '', wanted)
    await timed('apply', `/${id}/apply`)
    const { summary } = await timed('again', '', wanted)
    if (summary.unchanged !== monitors + rules) throw new Error(`planned again: ${JSON.stringify(summary)}`)
    await timed('undo', `/${id}/undo`, {})
  }
  ending.abort()
  await pinging
  const { rows } = await backend.database.query<{ bytes: number }>(
    'select max(length(content_encrypted)) as bytes from change_set',
  )
  printFigures(
    [
      { name: 'plan', value: median(seconds.plan), unit: 's', goal: { atMost: 2 } },
      { name: 'apply', value: median(seconds.apply), unit: 's', goal: { atMost: 10 } },
      { name: 'plan again, nothing to do', value: median(seconds.again), unit: 's', goal: { atMost: 1 } },
      { name: 'undo', value: median(seconds.undo), unit: 's' },
      { name: 'at rest', value: (rows[0]?.bytes ?? 0) / 1024 / 1024, unit: 'MiB', goal: { atMost: 2 } },
      { name: 'longest answer of /health meanwhile', value: longestMs, unit: 'ms' },
    ],
    { monitors, rules, rounds: Number(values.rounds) },
  )
} finally {
  await backend.stop()
}
