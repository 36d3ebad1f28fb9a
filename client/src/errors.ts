import type { ErrorCode, ErrorDetail } from '@vedette/shared'

/** Vedette refused the request. Branch on `code`, never on `message`. */
export class VedetteError extends Error {
  override readonly name = 'VedetteError'
  readonly status: number
  /** A newer backend may know more codes than this client. */
  readonly code: ErrorCode | (string & {})
  /** Where the request is wrong; empty unless the code is `validation_error` or the backend names something. */
  readonly details: readonly ErrorDetail[]
  /** What stands in the log of the backend beside its own faults. */
  readonly requestId: string
  /** When to ask again, where the answer says it. */
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, envelope: Envelope, retryAfterSeconds: number | undefined) {
    super(envelope.message)
    this.status = status
    this.code = envelope.code
    this.details = envelope.details ?? []
    this.requestId = envelope.request_id
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** No answer came, or it broke off. Whether the request was carried out is not known. `cause` is what the runtime said. */
export class VedetteNetworkError extends Error {
  override readonly name = 'VedetteNetworkError'
  /** The time limit of the call was over; else there was no connection. */
  readonly timedOut: boolean

  constructor(message: string, timedOut: boolean, cause: unknown) {
    super(message, { cause })
    this.timedOut = timedOut
  }
}

/** Something answered that is not Vedette: a proxy with a page of its own, a redirect, another service under this URL. */
export class VedetteAnswerError extends Error {
  override readonly name = 'VedetteAnswerError'
  /** 0 for a redirect in a browser, which tells no more of it. */
  readonly status: number
  readonly contentType: string
  /** How the answer begins: up to 200 characters. */
  readonly excerpt: string
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, status: number, contentType: string, text: string, retryAfterSeconds: number | undefined) {
    super(message)
    this.status = status
    this.contentType = contentType
    this.excerpt = text.slice(0, EXCERPT_LENGTH)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Enough for the title of a proxy's page. */
const EXCERPT_LENGTH = 200

export interface Envelope {
  code: string
  message: string
  details?: ErrorDetail[]
  request_id: string
}

/** The inner part of an error envelope; undefined for anything else. */
export function envelopeIn(body: unknown): Envelope | undefined {
  const { error } = (body ?? {}) as { error?: Partial<Envelope> }
  return typeof error?.code === 'string' && typeof error.message === 'string' ? (error as Envelope) : undefined
}
