import { statSync } from 'node:fs'
import { RejectedRelease } from './manifest.ts'
import { runProgram } from './run-program.ts'

const LIMIT_MS = 60_000

export interface PreflightContext {
  configPath: string
  stateDir: string
  environment: NodeJS.ProcessEnv
}

/** Runs a program as the owner of the state folder: a downloaded program never runs as root here. */
function runAsOwner(program: string, args: string[], { stateDir, environment }: PreflightContext) {
  const owner = process.getuid?.() === 0 ? statSync(stateDir) : undefined
  const as = owner && { uid: owner.uid, gid: owner.gid }
  const env = { ...environment, VEDETTE_STATE_DIR: stateDir }
  return runProgram(program, args, { timeout: LIMIT_MS, cwd: '/', env, ...as })
}

/** Throws RejectedRelease unless the new program starts, prints its version, and its `check` finds no fault that the current one does not find. */
export function preflight(proof: PreflightContext, program: string, version: string, current: string): void {
  const result = runAsOwner(program, ['version'], proof)
  if (result.stdout?.trim() !== version)
    throw new RejectedRelease(`version ${version} does not run here: ${describeFailure(result)}`)
  const faults = faultsOf(program, proof)
  const currentFaults = new Set(faults.length === 0 ? [] : faultsOf(current, proof))
  const newFault = faults.find((subject) => !currentFaults.has(subject))
  if (newFault !== undefined)
    throw new RejectedRelease(`"check" of version ${version} finds a fault that the current version does not: ${newFault}`)
  // A version that cannot push would fail its trial and be blocked without reason.
  const blocker = faults.find((subject) => !['clock', 'disk'].includes(subject))
  if (blocker !== undefined) throw new Error(`update postponed: the agent has a fault now (${blocker}; see vedette-agent check)`)
}

function faultsOf(program: string, proof: PreflightContext): string[] {
  const run = runAsOwner(program, ['check', '--config', proof.configPath], proof)
  const faults = [...(run.stdout ?? '').matchAll(/^FAULT (\w+):/gm)].map(([, subject = '']) => subject)
  return run.status === 0 || faults.length > 0 ? faults : [describeFailure(run)]
}

function describeFailure({ error, stderr, status }: ReturnType<typeof runAsOwner>): string {
  return error?.message ?? (stderr?.trim().split('\n')[0] || `exit code ${String(status)}`)
}
