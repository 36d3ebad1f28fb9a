import { rm } from 'node:fs/promises'
import { accountOf, changeStatuses, makeIdleMonitors, startWebhook, notifyBy, untilAllNotified } from './notified-monitors.ts'
import { benchEnvironment, startBackend } from '../lib/backend.ts'
import { startChild } from '../lib/child.ts'
import { sleep } from '../lib/sleep.ts'
import { VEDETTE } from '../../scripts/test-tools.ts'

export interface KilledSenders {
  case: 'K1'
  runs: number
  /** Changes that were not received. */
  missing: number
  underAnotherId: number
  /** Requests beyond one for each change. */
  repeated: number
  passes: boolean
}

const MAX_ANSWER_MS = 100
const MAX_DELAY_MS = 400
const CHANGES_EACH = 4

/** Kills `vedette work` that many times around a change of status. Each wait follows from the number of the run. */
export async function killSenders(runs: number): Promise<KilledSenders> {
  const own = { VEDETTE_ALLOW_PRIVATE_TARGETS: 'all', VEDETTE_LOCAL_AGENT: 'off', VEDETTE_NOTIFICATION_GROUP_SECONDS: '0' }
  const webhook = await startWebhook(() => (webhook.received.length * 37) % MAX_ANSWER_MS)
  const backend = await startBackend('serve', [], own)
  const { database, dataDir, postgresPid, backendPid } = backend
  const environment = { ...benchEnvironment(dataDir), ...own }
  try {
    await notifyBy(backend.url, webhook.url)
    // So many that none is flapping.
    const monitors = await makeIdleMonitors(database, Math.ceil(runs / CHANGES_EACH))
    // It evaluates and sends too. Its Postgres keeps running.
    process.kill(backendPid, 'SIGKILL')
    for (let run = 0; run < runs; run += 1) {
      const worker = await startChild({ args: [VEDETTE, 'work'], environment, stopBy: 'SIGKILL' })
      const monitor = monitors[Math.floor(run / CHANGES_EACH)] as number
      await changeStatuses(database, [monitor], run % 2 === 0 ? 'down' : 'up')
      await sleep((run * 97) % MAX_DELAY_MS)
      await worker.stop()
      for (const table of ['alert_signal', 'notification_delivery'])
        await database.query(`update ${table} set next_attempt_at = least(next_attempt_at, now())`)
    }
    const last = await startChild({ args: [VEDETTE, 'work'], environment })
    await untilAllNotified(database, 60_000)
    await last.stop()
    const { steps, requests, underAnotherId } = accountOf(webhook.received)
    const missing = runs - steps
    const passes = missing === 0 && underAnotherId === 0
    return { case: 'K1', runs, missing, underAnotherId, repeated: requests - steps, passes }
  } finally {
    webhook.close()
    await database.end()
    process.kill(postgresPid, 'SIGINT')
    await sleep(500)
    await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}
