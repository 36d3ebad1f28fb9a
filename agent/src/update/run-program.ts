import type { SpawnSyncOptions, SpawnSyncReturns } from 'node:child_process'

/** Loads child_process on demand: the running agent never starts a program. */
export function runProgram(program: string, args: readonly string[], options: SpawnSyncOptions = {}): SpawnSyncReturns<string> {
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  return spawnSync(program, args, { ...options, encoding: 'utf8' })
}
