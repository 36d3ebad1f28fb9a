import { ERROR_STATUS, type ErrorCode, type ErrorEnvelope, truncateText } from '@vedette/shared'
import type { ErrorObject } from 'ajv'
import type { FastifyError, FastifySchemaValidationError } from 'fastify'
import { isCanceled, isForeignKeyViolation, isLostConnection, isRolledBack } from '../db/lost-connection.ts'
import { ApiError, notFound, unavailable } from '../errors.ts'
import { toDetails } from './validation-messages.ts'

export function toEnvelope(error: ApiError, requestId: string): ErrorEnvelope {
  const { code, details } = error
  const clipped = details && { details: details.map(({ path, message }) => ({ path: clip(path), message: clip(message) })) }
  return { error: { code, message: clip(error.message), ...clipped, request_id: requestId } }
}

/** Messages contain values of the request, which may be a megabyte long: the beginning suffices to find them. */
const CLIP_LENGTH = 300
const clip = (text: string): string => truncateText(text, CLIP_LENGTH + 1, '…')

/** The error that a client receives. Unknown errors become `internal_error` with a fixed text. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  // What the framework or the request's stream refuses has a status: a client that hangs up is an ECONNRESET as well.
  const { validation, validationContext, statusCode, code } = error as Partial<FastifyError>
  if (statusCode === undefined && (isLostConnection(error) || isCanceled(error) || isRolledBack(error))) return unavailable(error)
  // Foreign keys lead to the organization that the request acts in (or its user): it was deleted while the request ran.
  if (isForeignKeyViolation(error)) return notFound()
  if (validation) return fromValidation(validation, validationContext)
  if (code === 'FST_ERR_CTP_INVALID_JSON_BODY' || error instanceof SyntaxError)
    return badRequest('The body is not valid JSON.', error)
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return fromStatus(statusCode, error)
  return new ApiError('internal_error', 'Something went wrong on our side.', { cause: error })
}

function fromStatus(status: number, cause: unknown): ApiError {
  const code = STATUS_CODE.get(status)
  if (!code || code === 'validation_error') return badRequest((cause as Error).message, cause)
  return new ApiError(code, CLIENT_TEXT[code] ?? 'The request is not acceptable.', { cause })
}

const badRequest = (message: string, cause: unknown): ApiError =>
  new ApiError('validation_error', message, { details: [{ path: '', message }], cause })

const STATUS_CODE = new Map<number, ErrorCode>([
  ...(Object.entries(ERROR_STATUS) as [ErrorCode, number][]).map(([code, status]) => [status, code] as [number, ErrorCode]),
  [400, 'validation_error'],
  [401, 'unauthorized'],
])

const CLIENT_TEXT: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'Missing or invalid credentials.',
  not_found: 'There is nothing here under this name.',
  method_not_allowed: 'This path does not take that method.',
  payload_too_large: 'The body is larger than this endpoint takes.',
  uri_too_long: 'The URL is too long.',
  unsupported_media_type: 'Bodies are JSON: send Content-Type: application/json.',
  request_timeout: 'The request took too long to arrive.',
  headers_too_large: 'The headers are too large.',
}

/** Dotted paths and sentences for what the schema refused. */
function fromValidation(errors: readonly FastifySchemaValidationError[], context: string | undefined): ApiError {
  const details = toDetails(errors as ErrorObject[])
  const first = details[0]
  const where = context === 'querystring' ? 'query parameter ' : ''
  const message = first?.path ? `${where}${first.path}: ${first.message}` : (first?.message ?? 'The request is not valid.')
  return new ApiError('validation_error', message, { details })
}
