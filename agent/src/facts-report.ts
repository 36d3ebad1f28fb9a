import { join } from 'node:path'
import type { FactsBody } from '@vedette/shared'
import type { Clock } from './clock.ts'
import { readTextIfThere, writeAtomic } from './files.ts'
import { type Log, messageOf } from './log.ts'
import type { HttpAnswer } from './transport.ts'

/** How often the facts are looked at: addresses change now and then, the rest with a restart. */
const LOOK_EVERY_MS = 3_600_000

export interface FactsReport {
  /**
   * Looks at the facts when it is time, or when `mark` is another than at the last look, and tells the backend what is not as
   * it was told last. Never throws.
   */
  tellIfDue(read: () => FactsBody, mark?: number): Promise<void>
}

interface FactsReportDeps {
  clock: Clock
  log: Log
  stateDir: string
  send: (body: Buffer) => Promise<HttpAnswer>
}

/** Keeps what the backend was told in the state folder, so that a restart tells only what is new. */
export function createFactsReport({ clock, log, stateDir, send }: FactsReportDeps): FactsReport {
  const file = join(stateDir, 'facts.json')
  let nextLookMs = Number.NEGATIVE_INFINITY
  let lastMark = 0

  async function tell(facts: FactsBody): Promise<void> {
    const text = JSON.stringify(facts)
    if (readTextIfThere(file) === text) return
    const answer = await send(Buffer.from(text))
    if (answer.status === 204) writeAtomic(file, text)
    else log('warn', 'the backend did not take the facts of this host', { status: answer.status })
  }

  return {
    tellIfDue: async (read, mark = 0) => {
      if (mark === lastMark && clock.monotonicMs() < nextLookMs) return
      lastMark = mark
      nextLookMs = clock.monotonicMs() + LOOK_EVERY_MS
      try {
        await tell(read())
      } catch (error) {
        log('warn', 'cannot tell the facts of this host', { reason: messageOf(error) })
      }
    },
  }
}
