import type { SpawnSyncOptions, SpawnSyncReturns } from 'node:child_process'

/** Loaded when it is needed: the agent that runs never starts a program, and need not hold what could. */
export function runProgram(program: string, args: readonly string[], options: SpawnSyncOptions = {}): SpawnSyncReturns<string> {
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  return spawnSync(program, args, { ...options, encoding: 'utf8' })
}
