import { VedetteError, VedetteNetworkError } from '@vedette/client'
import { text } from '../messages/index.ts'

/** What happened and what to do, for people. */
export interface Trouble {
  title: string
  advice: string
  requestId?: string | undefined
}

export function troubleOf(error: unknown): Trouble {
  const { errors } = text
  if (error instanceof VedetteNetworkError) return { title: errors.noAnswer, advice: errors.noAnswerAdvice }
  if (!(error instanceof VedetteError)) return { title: errors.unknown, advice: errors.unknownAdvice }
  const { message: title, requestId } = error
  const advice = errors.byCode[error.code] ?? (error.status >= 500 ? errors.ours : '')
  return { title, advice, requestId }
}

/** One line, for beside a button. */
export function sentenceOf(error: unknown): string {
  const { title, advice } = troubleOf(error)
  return advice === '' ? title : `${title} ${advice}`
}

/** What the backend says of one field, by its dotted path. */
export function fieldFaults(error: unknown): Record<string, string> {
  if (!(error instanceof VedetteError)) return {}
  return Object.fromEntries(error.details.map(({ path, message }) => [path, message]))
}
