import { VedetteError, VedetteNetworkError } from '@vedette/client'
import type { ErrorDetail } from '@vedette/shared'
import { messages } from '../messages/index.ts'

/** What was typed is not what the schema allows: it was not sent. */
export class InvalidInput extends Error {
  readonly details: readonly ErrorDetail[]
  constructor(details: readonly ErrorDetail[]) {
    super('invalid input')
    this.details = details
  }
}

/** An error and its advice, for people. */
export interface ErrorText {
  title: string
  advice: string
  requestId?: string | undefined
}

export function describeError(error: unknown): ErrorText {
  const { errors } = messages
  if (error instanceof VedetteNetworkError) return { title: errors.unreachable, advice: errors.unreachableAdvice }
  if (error instanceof InvalidInput) return { title: messages.faults.title(error.details.length), advice: '' }
  if (!(error instanceof VedetteError)) return { title: errors.unknown, advice: errors.unknownAdvice }
  const { message: title, requestId } = error
  const advice = errors.advice[error.code] ?? (error.status >= 500 ? errors.internal : '')
  return { title, advice, requestId }
}

/** The error and its advice in one line. */
export function errorMessage(error: unknown): string {
  const { title, advice } = describeError(error)
  return advice === '' ? title : `${title} ${advice}`
}

/** The messages of a validation error by the dotted path of their field. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof VedetteError || error instanceof InvalidInput)) return {}
  return Object.fromEntries(error.details.map(({ path, message }) => [path, message]))
}
