import { join } from 'node:path'
import type { FactsBody } from '@vedette/shared'
import { HOUR_MS } from '@vedette/shared/durations'
import type { Clock } from '../process/clock.ts'
import { readTextIfThere, tryReadText, writeAtomic } from '../process/files.ts'
import { type Log, messageOf } from '../process/log.ts'
import type { HttpAnswer } from '../push/transport.ts'

/** How often the facts are read: addresses change sometimes, the rest with a restart. */
const CHECK_INTERVAL_MS = HOUR_MS

export interface FactsReport {
  /**
   * Reads the facts when that is due or `revision` changed, and sends them if they differ from those sent last. Never throws.
   */
  reportIfDue(read: () => FactsBody, revision?: number): Promise<void>
  /** Whether the facts sent last had certificates: an agent that no longer reads any must take them back. */
  sentCertificates(): boolean
}

interface FactsReportDeps {
  clock: Clock
  log: Log
  stateDir: string
  send: (body: Buffer) => Promise<HttpAnswer>
}

/** Stores the facts sent last in the state folder, so that a restart sends only changed facts. */
export function createFactsReport({ clock, log, stateDir, send }: FactsReportDeps): FactsReport {
  const file = join(stateDir, 'facts.json')
  let nextCheckMs = Number.NEGATIVE_INFINITY
  let lastRevision = 0

  async function report(facts: FactsBody): Promise<void> {
    const text = JSON.stringify(facts)
    if (readTextIfThere(file) === text) return
    const answer = await send(Buffer.from(text))
    if (answer.status === 204) writeAtomic(file, text)
    else
      log('warn', 'the backend did not accept the facts of this host: they are sent again within an hour', {
        status: answer.status,
      })
  }

  return {
    sentCertificates: () => (tryReadText(file) ?? '').includes('"certificates":['),
    reportIfDue: async (read, revision = 0) => {
      if (revision === lastRevision && clock.monotonicMs() < nextCheckMs) return
      lastRevision = revision
      nextCheckMs = clock.monotonicMs() + CHECK_INTERVAL_MS
      try {
        await report(read())
      } catch (error) {
        log('warn', 'cannot report the facts of this host: trying again within an hour', { reason: messageOf(error) })
      }
    },
  }
}
