/**
 * The samples that an agent loses: real agent processes against a real backend, through every fault of the catalogue.
 *
 *   npm run bench -- faults-agent [--only F1,F5] [--kills 100]
 *
 * The values of a sample follow from its number, and a journal has it before the agent does. At the end all stored samples are read
 * back. In every case `lost`, `doubled` and `wrong` must be 0, else the exit code is 1. `lostAtKill` is a sample that the agent was
 * reading when it was killed. F4 needs root, for a disk of 1 MiB. About 20 minutes.
 */
import { HOUR_MS } from '../../shared/src/index.ts'
import { parseArgs } from 'node:util'
import { each, faultsOf, type Finding, combine } from './finding.ts'
import { clockJumps, diskFull, killed, longOutage } from './host-cases.ts'
import * as network from './network-cases.ts'
import { printFigures } from '../lib/result.ts'
import { startWorld, type World } from './world.ts'

const { values } = parseArgs({ options: { only: { type: 'string' }, kills: { type: 'string', default: '100' } } })
const JUMPS = [HOUR_MS, -HOUR_MS, 2 * 365 * 24 * HOUR_MS, -2 * 365 * 24 * HOUR_MS]
/** The kills are shared among so many agents. */
const KILLED_AGENTS = 5

const CASES: Record<string, (world: World) => Promise<Finding>> = {
  'F1 killed': (world) =>
    each(KILLED_AGENTS, (agent) => killed(world, Math.ceil((Number(values.kills) - agent) / KILLED_AGENTS), agent)),
  'F4 disk full': async (world) => {
    const rounds: Finding[] = []
    const full = () => diskFull(world, { kib: 1_024, hours: 2, memoryBytes: 100_000 })
    // Two at a time: a driven clock needs its share of the processor.
    while (rounds.length < 10) rounds.push(await each(2, full))
    return combine(rounds.map((round) => Promise.resolve(round)))
  },
  'F5 24 h': (world) => each(5, () => longOutage(world, 24, 600)),
  'F5 7 d': (world) => longOutage(world, 7 * 24, 3_000),
  'F6 wrong answers': (world) => combine(network.ALL_ANSWERS.map((name) => network.wrongAnswer(world, name, 30))),
  'F7 duplicated': (world) => each(10, () => network.duplicated(world, 20)),
  'F8 rotated': (world) => each(5, () => network.rotated(world, 10)),
  'F10 half open': (world) => each(10, () => network.halfOpen(world, 3)),
  'F11 names': (world) =>
    combine([...network.NAME_FAULTS.map((fault) => network.nameFails(world, fault, 20)), network.nameMoves(world, 20)]),
  'F13 clock': (world) => each(10, () => clockJumps(world, JUMPS)),
}

const wanted = values.only?.split(',')
const world = await startWorld()
const report: Record<string, Finding | string> = {}
const total = { taken: 0, lost: 0, doubled: 0, wrong: 0 }
let faults = 0
try {
  for (const [name, run] of Object.entries(CASES)) {
    if (wanted && !wanted.some((prefix) => name.startsWith(`${prefix} `))) continue
    if (name.startsWith('F4') && process.getuid?.() !== 0) {
      report[name] = 'skipped: a disk of 1 MiB needs root'
      continue
    }
    const found = await run(world)
    report[name] = found
    process.stderr.write(`${name}: ${JSON.stringify(found)}\n`)
    faults += faultsOf(found)
    for (const each of ['taken', 'lost', 'doubled', 'wrong'] as const) total[each] += found[each]
  }
} finally {
  await world.stop()
}
printFigures(
  [
    { name: 'samples taken', value: total.taken, unit: '' },
    ...(['lost', 'doubled', 'wrong'] as const).map((name) => ({
      name: `samples ${name}`,
      value: total[name],
      unit: '',
      goal: { atMost: 0 },
    })),
  ],
  report,
)
process.exitCode = faults === 0 ? 0 : 1
