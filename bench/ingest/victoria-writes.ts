import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Side } from './driving.ts'
import type { Order } from './load.ts'
import { startVictoria } from '../lib/peers.ts'
import { cpuOf } from '../lib/processes.ts'

export interface Writes extends Side {
  stop(): Promise<void>
}

/**
 * A VictoriaMetrics that receives remote writes, compressed as Prometheus sends them, of as many samples as pushes have from as many
 * hosts; undefined where it is not installed. It answers before the samples are on disk.
 */
export async function startWrites(order: Omit<Order, 'port' | 'seconds'>): Promise<Writes | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-writes-'))
  const victoria = await startVictoria(folder)
  if (!victoria) return undefined
  return {
    order: { ...order, port: victoria.port, writes: true },
    cpu: () => cpuOf(victoria.pid),
    stop: async () => {
      await victoria.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
