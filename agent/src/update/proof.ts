import { statSync } from 'node:fs'
import { Refused } from './manifest.ts'
import { runProgram } from './programs.ts'

const LIMIT_MS = 60_000

export interface Proof {
  configPath: string
  stateDir: string
  environment: NodeJS.ProcessEnv
}

/** Runs a program as the user whose state it is: what comes from a network is never run as root. */
function runAsOwner(program: string, args: string[], { stateDir, environment }: Proof) {
  const owner = process.getuid?.() === 0 ? statSync(stateDir) : undefined
  const as = owner && { uid: owner.uid, gid: owner.gid }
  const env = { ...environment, VEDETTE_STATE_DIR: stateDir }
  return runProgram(program, args, { timeout: LIMIT_MS, cwd: '/', env, ...as })
}

/** Throws Refused unless the new program starts, says its version, and finds no fault that the one which runs does not find. */
export function prove(proof: Proof, program: string, version: string, current: string): void {
  const said = runAsOwner(program, ['version'], proof)
  if (said.stdout?.trim() !== version) throw new Refused(`version ${version} does not run here: ${wordsOf(said)}`)
  const faults = faultsOf(program, proof)
  const known = new Set(faults.length === 0 ? [] : faultsOf(current, proof))
  const first = faults.find((subject) => !known.has(subject))
  if (first !== undefined)
    throw new Refused(`the check of version ${version} finds a fault that the present one does not: ${first}`)
  // What cannot push could not prove itself, and would be taken back for nothing.
  const blocker = faults.find((subject) => !['clock', 'disk'].includes(subject))
  if (blocker !== undefined) throw new Error(`put off: the agent itself has a fault now (${blocker}; see vedette-agent check)`)
}

function faultsOf(program: string, proof: Proof): string[] {
  const run = runAsOwner(program, ['check', '--config', proof.configPath], proof)
  const faults = [...(run.stdout ?? '').matchAll(/^FAULT (\w+):/gm)].map(([, subject = '']) => subject)
  return run.status === 0 || faults.length > 0 ? faults : [wordsOf(run)]
}

function wordsOf({ error, stderr, status }: ReturnType<typeof runAsOwner>): string {
  return error?.message ?? (stderr?.trim().split('\n')[0] || `it ended with ${String(status)}`)
}
