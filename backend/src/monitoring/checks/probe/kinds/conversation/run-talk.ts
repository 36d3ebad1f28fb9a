import type { Evaluation } from '../../../evaluation/index.ts'
import type { Attempt } from '../kind.ts'
import { CheckFault } from './check-fault.ts'

/** What a conversation ends with: the body and headers that assertions see, and what the kind itself found. */
export type Talked =
  | string
  | Buffer
  | { body: string | Buffer; headers?: ReadonlyMap<string, string>; own?: Evaluation | undefined }

const NO_HEADERS: ReadonlyMap<string, string> = new Map()

/** Ends a check with what `talk` returns, or with its fault. An error that is no `CheckFault` is a fault of the probe. */
export async function runTalk(attempt: Attempt, talk: () => Promise<Talked>): Promise<void> {
  try {
    const talked = await talk()
    const {
      body,
      headers = NO_HEADERS,
      own,
    }: Exclude<Talked, string | Buffer> = typeof talked === 'string' || Buffer.isBuffer(talked) ? { body: talked } : talked
    attempt.answer({ headers, body: Buffer.from(body) }, own)
  } catch (error) {
    if (error instanceof CheckFault) attempt.fail(error.fault)
    else
      attempt.safely(() => {
        throw error
      })()
  }
}
