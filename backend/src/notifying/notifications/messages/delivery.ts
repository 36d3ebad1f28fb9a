export interface OutboundRequest {
  url: string
  method?: 'GET' | 'POST' | 'PUT'
  headers: Readonly<Record<string, string>>
  /** Not sent to another origin at a redirect. */
  secretHeaders?: Readonly<Record<string, string>>
  body: string | Buffer
  /** A body that has one of them is not sent to another origin at a redirect. */
  secrets?: readonly string[]
  /** A redirect to another origin fails. */
  staysAtOrigin?: boolean
}

export interface OutboundResponse {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Its beginning. */
  text: string
  /** The same as it came, of what is no text. */
  bytes?: Buffer
}

/** Why a delivery failed; the codes of connections are those of checks. */
export type DeliveryCode = 'dns' | 'connect' | 'tls' | 'timeout' | 'protocol' | 'blocked' | 'internal' | 'refused' | 'not_set_up'

/** A message was not accepted. The text never contains a URL, a key or a token. */
export class DeliveryError extends Error {
  readonly code: DeliveryCode
  /** Of the service, if there was one. */
  readonly response: OutboundResponse | undefined
  constructor(code: DeliveryCode, message: string, response?: OutboundResponse) {
    super(message)
    this.code = code
    this.response = response
  }
}
