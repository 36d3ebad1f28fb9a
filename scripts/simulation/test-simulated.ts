/**
 * `npm run test:simulated`: plants each fault of the simulation and requires that it is found within 1,000 seeds. Prints the number of
 * seeds. `-- TEXT` tries only faults whose name contains the text.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { SIMULATED_FAULTS } from './faults.ts'

const root = join(import.meta.dirname, '../..')
const MOST_SEEDS = 1_000
const TEST = 'backend/test/simulation/simulation.test.ts'
const [text = ''] = process.argv.slice(2)
const chosen = SIMULATED_FAULTS.filter(({ name }) => name.includes(text))
let found = 0
for (const fault of chosen) {
  const { name } = fault
  const environment = { TEST_PLANTED_FAULT: JSON.stringify(fault), TEST_SIMULATION_SEEDS: String(MOST_SEEDS) }
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', TEST, '--testNamePattern', 'nothing is lost']
  const env = { ...process.env, ...environment, NO_COLOR: '1' }
  const { stdout } = spawnSync(process.execPath, vitest, { cwd: root, env, encoding: 'utf8' })
  const seeds = /seed (\d+) fails/.exec(stdout)?.[1]
  const what = /Error: (.*)\nseed \d+ fails/.exec(stdout)?.[1] ?? ''
  if (seeds !== undefined) found += 1
  process.stdout.write(seeds === undefined ? `MISSED  ${name}\n` : `found   ${name}: with seed ${seeds}, ${what}\n`)
}
process.stdout.write(`${chosen.length} faults planted, ${found} found\n`)
process.exitCode = found === chosen.length && found > 0 ? 0 : 1
