import type { Fault } from '../fault.ts'

/** An answer as it came; the body as it was sent, at most 1 MiB of it. */
export interface HttpAnswer {
  version: '1.0' | '1.1' | '2'
  statusCode: number
  statusLine: string
  headers: ReadonlyMap<string, string>
  body: Buffer
}

/** `wantsHttp2`: the target speaks nothing else. */
export interface ExchangeFault extends Fault {
  wantsHttp2?: boolean
}

/** Called once, when the head is there. True: that is enough, the body is not read. */
export type OnHead = (head: Omit<HttpAnswer, 'body'>) => boolean

export type Exchanged = (outcome: HttpAnswer | ExchangeFault) => void
