import { taken } from '../answer.ts'
import type { OutAnswer } from '../delivery.ts'
import type { Ways } from '../message.ts'

/** Posts JSON; any 2xx takes it. Throws DeliveryError. */
export async function postJson(
  { send }: Pick<Ways, 'send'>,
  url: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<OutAnswer> {
  const request = { url, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
  return taken(await send(request))
}
