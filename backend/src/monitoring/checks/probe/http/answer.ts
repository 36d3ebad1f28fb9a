import type { Fault } from '../phases/fault.ts'
import type { Fields } from './fields.ts'

/** A response; its body has at most 1 MiB. */
export interface HttpAnswer extends Fields {
  version: '1.0' | '1.1' | '2'
  statusCode: number
  statusLine: string
  body: Buffer
}

/** `wantsHttp2`: the target speaks only HTTP/2. */
export interface ExchangeFault extends Fault {
  wantsHttp2?: boolean
}

/** Called once when the head is complete. Return true to skip the body. */
export type OnHead = (head: Omit<HttpAnswer, 'body'>) => boolean

export type Exchanged = (outcome: HttpAnswer | ExchangeFault) => void
