import type { Socket } from 'node:net'
import { ApiError } from '../errors.ts'
import { toEnvelope } from './envelope.ts'

/** What Node's HTTP parser says it could not read, as our error. */
function toApiError(code: string | undefined): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') return new ApiError('headers_too_large', 'The headers are too large.')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ApiError('request_timeout', 'The request took too long to arrive.')
  const message = 'The request is not valid HTTP.'
  return new ApiError('validation_error', message, { details: [{ path: '', message }] })
}

const REASON: Record<number, string> = { 400: 'Bad Request', 408: 'Request Timeout', 431: 'Request Header Fields Too Large' }

/** Answers what never became a request, with the same envelope and headers as everything else, and closes the connection. */
export function answerClientError(
  code: string | undefined,
  socket: Socket,
  requestId: string,
  limits: Record<string, string>,
): void {
  // A connection that the client has reset, or on which an answer is under way, cannot take another.
  if (code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy()
    return
  }
  const error = toApiError(code)
  const body = JSON.stringify(toEnvelope(error, requestId))
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': requestId,
    ...limits,
    Connection: 'close',
  }
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end(`HTTP/1.1 ${error.status} ${REASON[error.status]}\r\n${head.join('\r\n')}\r\n\r\n${body}`)
}

/** Node keeps the answer under way on the socket, as its own handler of these errors reads it; the types do not know it. */
function isAnswering(socket: Socket): boolean {
  // oxlint-disable-next-line no-underscore-dangle -- Node's name
  return (socket as { _httpMessage?: { headersSent?: boolean } | null })._httpMessage?.headersSent === true
}
