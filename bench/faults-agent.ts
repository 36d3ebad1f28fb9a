/**
 * What an agent loses: real agent processes against a real backend, through every fault of the catalogue; one JSON line.
 *
 *   npm run faults:agent -- [--only F1,F5] [--kills 100]
 *
 * Every sample has values that follow from its number, and is in a journal before the agent gets it. At the end all stored
 * samples are read back. In every case `lost`, `doubled` and `wrong` must be 0, or the exit code is 1; what the agent was just being
 * given when a kill came, and is not there, is `lostAtKill`. F4 needs root, for a disk of 1 MiB. About 20 minutes.
 */
import { parseArgs } from 'node:util'
import { each, faultsOf, type Finding, together } from './src/faults/finding.ts'
import { clockJumps, diskFull, killed, longOutage } from './src/faults/host-cases.ts'
import * as network from './src/faults/network-cases.ts'
import { startWorld, type World } from './src/faults/world.ts'

const { values } = parseArgs({ options: { only: { type: 'string' }, kills: { type: 'string', default: '100' } } })
const HOUR_MS = 3_600_000
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
    return together(rounds.map((round) => Promise.resolve(round)))
  },
  'F5 24 h': (world) => each(5, () => longOutage(world, 24, 600)),
  'F5 7 d': (world) => longOutage(world, 7 * 24, 3_000),
  'F6 wrong answers': (world) => together(network.ALL_ANSWERS.map((name) => network.wrongAnswer(world, name, 30))),
  'F7 duplicated': (world) => each(10, () => network.duplicated(world, 20)),
  'F8 rotated': (world) => each(5, () => network.rotated(world, 10)),
  'F10 half open': (world) => each(10, () => network.halfOpen(world, 3)),
  'F11 names': (world) =>
    together([...network.NAME_FAULTS.map((fault) => network.nameFails(world, fault, 20)), network.nameMoves(world, 20)]),
  'F13 clock': (world) => each(10, () => clockJumps(world, JUMPS)),
}

const wanted = values.only?.split(',')
const world = await startWorld()
const report: Record<string, Finding | string> = {}
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
  }
} finally {
  await world.stop()
}
console.log(JSON.stringify(report))
process.exitCode = faults === 0 ? 0 : 1
