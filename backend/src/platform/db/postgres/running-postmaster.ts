import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readOwnedText } from '../../system/private-file.ts'
import type { Endpoint } from './endpoint.ts'
import { commandLine, processToken } from './process-identity.ts'

/** A Postgres that runs on our cluster though we did not start it. It may still be starting, or stopping. */
export interface RunningPostmaster {
  pid: number
  endpoint: Endpoint
}

/** Undefined when none runs. The id in the file alone proves nothing: after a reboot it is somebody else's. */
export async function findRunningPostmaster(cluster: string): Promise<RunningPostmaster | undefined> {
  const recorded = await readPidFile(cluster)
  return recorded && (await runsOn(recorded.pid, cluster)) ? recorded : undefined
}

/**
 * Postgres refuses to start while a process of its user has the recorded id, whatever that process is.
 * Call it only when no Postgres was found running on the cluster.
 */
export async function removeStalePidFile(cluster: string): Promise<void> {
  const recorded = await readPidFile(cluster)
  if (!recorded || (await processToken(recorded.pid)) === undefined) return
  await rm(join(cluster, 'postmaster.pid'), { force: true })
}

async function runsOn(pid: number, cluster: string): Promise<boolean> {
  if ((await processToken(pid)) === undefined) return false
  const command = await commandLine(pid)
  // Only the first process carries the folder in its arguments; the others show what they do.
  return command.includes('postgres') && command.includes(` ${cluster} `)
}

/** Lines: id, data folder, start, port, socket folder, address, shared memory, status. */
async function readPidFile(cluster: string): Promise<RunningPostmaster | undefined> {
  const text = await readOwnedText(join(cluster, 'postmaster.pid')).catch(() => '')
  const [pid, , , port, sockets, address] = text.split('\n')
  const host = sockets || address
  // A negative id is a single-user session: it accepts no connections, and Postgres itself refuses to start next to it.
  if (!host || !(Number(pid) > 0)) return undefined
  return { pid: Number(pid), endpoint: { host, port: Number(port) } }
}
