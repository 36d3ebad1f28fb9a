/**
 * `npm run test:simulated`: plants each fault of the simulation and requires that it is found within 1,000 seeds. Prints the number of
 * seeds. `-- TEXT` tries only faults whose name contains the text. Begins with a run without a fault, which must find nothing.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { type SimulatedFault, SIMULATED_FAULTS } from './faults.ts'

const root = join(import.meta.dirname, '../..')
const MOST_SEEDS = 1_000
const CONTROL_SEEDS = 50
const TEST = 'backend/test/simulation/simulation.test.ts'

/** The first seed that fails and why; undefined when all pass. */
function firstFailure(seeds: number, fault?: SimulatedFault): string | undefined {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', TEST, '--testNamePattern', 'nothing is lost']
  const planted = fault && { TEST_PLANTED_FAULT: JSON.stringify(fault) }
  const env = { ...process.env, ...planted, TEST_SIMULATION_SEEDS: String(seeds), NO_COLOR: '1' }
  const { stdout, stderr, status } = spawnSync(process.execPath, vitest, { cwd: root, env, encoding: 'utf8' })
  // Vitest writes failures to one of them.
  const output = stdout + stderr
  const [, what, seed] = /Error: (.*)\nseed (\d+) fails/.exec(output) ?? []
  if (seed === undefined && status !== 0) throw new Error(`the simulation did not run: ${output.slice(-4_000)}`)
  return seed === undefined ? undefined : `with seed ${seed}, ${what}`
}

const [text = ''] = process.argv.slice(2)
const chosen = SIMULATED_FAULTS.filter(({ name }) => name.includes(text))
const control = firstFailure(CONTROL_SEEDS)
if (control !== undefined) throw new Error(`it fails without a fault: ${control}`)
let found = 0
for (const fault of chosen) {
  const failure = firstFailure(MOST_SEEDS, fault)
  if (failure !== undefined) found += 1
  process.stdout.write(failure === undefined ? `MISSED  ${fault.name}\n` : `found   ${fault.name}: ${failure}\n`)
}
process.stdout.write(`${chosen.length} faults planted, ${found} found\n`)
process.exitCode = found === chosen.length && found > 0 ? 0 : 1
