/**
 * What happens to samples in the backend when its processes are killed.
 *
 *   npm run bench -- faults-samples [--only F2,F7] [--share 1] [--seed N]
 *
 * Simulated agents of two organizations push to a real backend on its embedded Postgres: at once, out of order, twice, with dead tokens
 * and with samples that must be rejected. Meanwhile the backend is killed (F2), Postgres is killed or restarted (F3), and compaction
 * runs and is killed too. Each batch has a reading of an entity with it. The values of a sample are a hash of its server, the start of its agent, its number and its instant. At the
 * end everything is read back twice, before and after compaction, sample by sample and as means over HTTP.
 *
 * `faults` must be 0, else the exit code is 1: acknowledged samples that are lost, doubled or wrong; rejected ones that are stored; ones
 * that nobody sent; rows of another organization; wrong means; a 5xx without a fault, outside the envelope or without the rate limit
 * headers; a backend that stores again later than 5 s after its kill, or 10 s after the end of Postgres. `--share 0.1` makes a tenth of
 * the kills and samples. About 20 minutes. Prints a line of JSON for each case.
 */
import { parseArgs } from 'node:util'
import { type Finding, runCase } from './cases.ts'
import { plansOf } from './plans.ts'
import { printFigures } from '../lib/result.ts'

const { values } = parseArgs({
  options: { only: { type: 'string' }, share: { type: 'string', default: '1' }, seed: { type: 'string' } },
})
const seed = Number(values.seed ?? Date.now() % 2 ** 31)
const wanted = values.only?.split(',')
const found: Finding[] = []
for (const plan of plansOf(Number(values.share))) {
  if (wanted && !wanted.some((prefix) => plan.name.startsWith(`${prefix} `))) continue
  const finding = await runCase(plan, seed)
  found.push(finding)
  console.log(JSON.stringify({ ...finding, seed }))
}
const sum = (name: 'acked' | 'readings' | 'faults') => found.reduce((total, finding) => total + finding[name], 0)
printFigures(
  [
    { name: 'acknowledged samples', value: sum('acked'), unit: '' },
    { name: 'acknowledged readings of an entity', value: sum('readings'), unit: '' },
    { name: 'faults', value: sum('faults'), unit: '', goal: { atMost: 0 } },
  ],
  { seed },
)
process.exitCode = sum('faults') === 0 ? 0 : 1
