export interface OutRequest {
  url: string
  method?: 'GET' | 'POST'
  headers: Readonly<Record<string, string>>
  body: string
}

export interface OutAnswer {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The beginning of it. */
  text: string
}

/** What may go wrong with a telling; those of connections are as in checks. */
export type DeliveryCode = 'dns' | 'connect' | 'tls' | 'timeout' | 'protocol' | 'blocked' | 'internal' | 'refused' | 'not_set_up'

/** Why a message was not taken. Its words never hold a URL, a key or a token. */
export class DeliveryError extends Error {
  readonly code: DeliveryCode
  /** What the service answered, if it did. */
  readonly answer: OutAnswer | undefined
  constructor(code: DeliveryCode, message: string, answer?: OutAnswer) {
    super(message)
    this.code = code
    this.answer = answer
  }
}
