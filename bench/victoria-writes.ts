import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Side } from './driving.ts'
import { startVictoria } from './peers.ts'
import { cpuOf } from './processes.ts'

export interface Writes extends Side {
  stop(): Promise<void>
}

/**
 * A VictoriaMetrics that takes remote writes of as many samples as pushes have, over as many connections, each a host of its own;
 * undefined where it is not installed. It answers before they are on disk.
 */
export async function startWrites(form: { connections: number; atOnce: number }): Promise<Writes | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-writes-'))
  const victoria = await startVictoria(folder)
  if (!victoria) return undefined
  return {
    order: { ...form, port: victoria.port, writes: true },
    cpu: () => cpuOf(victoria.pid),
    stop: async () => {
      await victoria.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
