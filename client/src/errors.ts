import type { ErrorCode, ErrorDetail } from './wire.ts'

/** Vedette rejected the request. Branch on `code`, never on `message`. */
export class VedetteError extends Error {
  override readonly name = 'VedetteError'
  readonly status: number
  /** A newer backend may know more codes than this client. */
  readonly code: ErrorCode | (string & {})
  /** The invalid fields of the request; empty unless the code is `validation_error` or the backend sends details. */
  readonly details: readonly ErrorDetail[]
  /** Identifies the request in the backend's log. */
  readonly requestId: string
  /** The `Retry-After` of the response; undefined without one. */
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

/** No response, or an incomplete one. The request may have been executed. `cause` is the error of the runtime. */
export class VedetteNetworkError extends Error {
  override readonly name = 'VedetteNetworkError'
  /** True after a timeout, false after a connection error. */
  readonly timedOut: boolean

  constructor(message: string, timedOut: boolean, cause: unknown) {
    super(message, { cause })
    this.timedOut = timedOut
  }
}

/** The response is not from Vedette: a proxy's error page, a redirect, or another service at this URL. */
export class VedetteAnswerError extends Error {
  override readonly name = 'VedetteAnswerError'
  /** 0 for a redirect in a browser, which hides the status. */
  readonly status: number
  readonly contentType: string
  /** The first 200 characters of the response. */
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
