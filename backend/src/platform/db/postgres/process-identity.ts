import { readFile } from 'node:fs/promises'
import { runAs } from './run-as.ts'

/**
 * Names one run of one process: ids are used again, this is not. Undefined when no such process runs; a zombie does not run
 * (under an init that does not reap, a dead orphan stays as one). Free of the wall clock, which jumps.
 */
export async function processToken(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return tokenFromPs(pid)
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (stat === undefined) return undefined
  // The second field is the program's name in brackets and may hold anything: count from behind it. State is field 3, the start field 22.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')
  return `${boot.trim()}/${fields[19]}`
}

async function tokenFromPs(pid: number): Promise<string | undefined> {
  const { isOk, stdout } = await runAs(undefined, 'ps', ['-o', 'stat=,lstart=', '-p', String(pid)])
  if (!isOk || stdout.startsWith('Z')) return undefined
  return stdout.replace(/^\S+\s+/, '')
}

/** Arguments of a running process, the program first; empty when there is none. */
export async function commandLine(pid: number): Promise<string> {
  if (process.platform !== 'linux') return (await runAs(undefined, 'ps', ['-o', 'args=', '-p', String(pid)])).stdout
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ')
}
