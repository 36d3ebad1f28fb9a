import { oneLine } from '@vedette/shared'
import { DeliveryError, type OutboundResponse } from '../messages/delivery.ts'
import type { Transports } from '../messages/message.ts'
import { truncate } from '../messages/texts.ts'

const MAX_REASON_LENGTH = 300

/** Posts JSON; any 2xx accepts it. Throws DeliveryError. */
export async function postJson({ send }: Pick<Transports, 'send'>, url: string, body: object): Promise<OutboundResponse> {
  return requireAccepted(await send({ url, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }))
}

/** The response of a service that accepted the message: a 2xx in which `fault` finds nothing wrong. Throws DeliveryError. */
export function requireAccepted(
  response: OutboundResponse,
  fault?: (response: OutboundResponse) => string | undefined,
): OutboundResponse {
  const { status, text } = response
  const isSuccess = status >= 200 && status < 300
  const reason = isSuccess ? fault?.(response) : oneLine(text)
  if (isSuccess && reason === undefined) return response
  const details = reason === undefined || reason === '' ? '' : `: ${truncate(reason, MAX_REASON_LENGTH)}`
  throw new DeliveryError('refused', `the service answered ${status}${details}`, response)
}

/** What a service said with its refusal, where that is a JSON object; undefined for every other failure. */
export function refusalOf(error: unknown): Record<string, unknown> | undefined {
  if (!(error instanceof DeliveryError) || error.code !== 'refused' || !error.response) return undefined
  try {
    const answer: unknown = JSON.parse(error.response.text)
    return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
