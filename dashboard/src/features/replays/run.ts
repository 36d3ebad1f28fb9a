import { type Client, VedetteError } from '@vedette/client'
import type { Replay } from '@vedette/shared'
import { HOUR_MS } from '@vedette/shared/tables'
import { retryAfterMs } from '../../lib/api.ts'
import { InvalidInput } from '../../lib/errors.ts'
import { bodiesOf, type Period, type ReplayInput, toFormFaults } from './input.ts'

/** 90 days of a large organization take some seconds. */
const TIMEOUT_MS = 120_000
/** One replay of an organization runs at a time: the next one is tried again for about a minute. */
const MAX_TRIES = 25

interface Options {
  client: Client
  signal: AbortSignal
  /** Another replay of the organization is running. */
  onWait: () => void
}

/** The replays of the form, one after the other: one for each changed set. Throws InvalidInput with the fields of the form. */
export async function runReplays(input: ReplayInput, period: Period, options: Options): Promise<Replay[]> {
  const replays: Replay[] = []
  for (const [index, body] of bodiesOf(input, period).entries()) {
    try {
      replays.push(await runOne(body, options))
    } catch (error) {
      if (!(error instanceof VedetteError) || error.details.length === 0) throw error
      // The clock of the browser is ahead.
      if (isOfDays(error, input, 'to') && period.toMs > Date.now() - HOUR_MS)
        return runReplays(input, { fromMs: period.fromMs - HOUR_MS, toMs: period.toMs - HOUR_MS }, options)
      if (isOfDays(error, input, 'to') || isOfDays(error, input, 'from')) throw error
      throw new InvalidInput(toFormFaults(error.details, input.sets, index))
    }
  }
  return replays
}

/** Whether something is wrong with times that have no field in the form. */
const isOfDays = ({ details }: VedetteError, { period }: ReplayInput, name: 'from' | 'to'): boolean =>
  period !== 'other' && details.some(({ path }) => path === name)

async function runOne(body: ReturnType<typeof bodiesOf>[number], { client, signal, onWait }: Options): Promise<Replay> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await client.replays.create(body, { signal, timeoutMs: TIMEOUT_MS })
    } catch (error) {
      if (!(error instanceof VedetteError) || error.code !== 'rate_limited' || tries === MAX_TRIES) throw error
      onWait()
      await pause(retryAfterMs(error) ?? 2_000, signal)
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    const end = () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', end, { once: true })
  })
}
