/**
 * What happens to samples on their way into the database when its parts are killed: one line of JSON for each case.
 *
 *   npm run faults:samples -- [--only F2,F7] [--share 1] [--seed N]
 *
 * Simulated agents of two organizations push to a real backend on its embedded Postgres, at once, out of order, twice, with dead
 * tokens and samples that must be refused, while the backend is killed (F2), Postgres is killed or restarted (F3), and the job
 * that puts samples together runs beside and is killed as well. The values of a sample are a hash of its server, the start of
 * the agent, its number and its instant. At the end everything is read back twice, beside its pushes and from what is put
 * together alone, one by one and as means over HTTP.
 *
 * `faults` must be 0, or the exit code is 1: acknowledged samples that are lost, doubled or wrong, refused ones that are returned,
 * such that nobody sent, rows of another organization, means that are not those of the samples, answers of 5xx without a fault,
 * outside the envelope or without the headers of the limits, a backend that does not store again within 5 s of its kill, or
 * within 10 s of Postgres' end. `--share 0.1` makes a tenth of the kills and samples. About 20 minutes.
 */
import { parseArgs } from 'node:util'
import { type Finding, runCase } from './src/pushed/cases.ts'
import { plansOf } from './src/pushed/plans.ts'

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
const sum = (name: 'acked' | 'faults') => found.reduce((total, finding) => total + finding[name], 0)
console.log(JSON.stringify({ case: 'all', acked: sum('acked'), faults: sum('faults') }))
process.exitCode = sum('faults') === 0 ? 0 : 1
