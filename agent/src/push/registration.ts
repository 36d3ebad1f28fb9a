import type { RegisterAnswer, RegisterBody } from '@vedette/shared'
import { parseObject } from '../process/identity.ts'
import { errorMessage } from './push-outcome.ts'
import type { Transport } from './transport.ts'

/** Registers this host at the backend. Throws with the backend's message and a remedy. The API key is not stored. */
export async function requestRegistration(
  transport: Transport,
  url: string,
  apiKey: string,
  facts: RegisterBody,
): Promise<Pick<RegisterAnswer, 'server_id' | 'token'>> {
  const answer = await transport.send({
    method: 'POST',
    url: `${url}/v1/agent/register`,
    headers: { 'x-api-key': apiKey },
    body: Buffer.from(JSON.stringify(facts)),
  })
  if (answer.status === 0) throw new Error(`cannot reach ${url}: ${'reason' in answer ? answer.reason : 'no answer'}`)
  const body = 'body' in answer ? answer.body : ''
  const { server_id: serverId, token } = parseObject(body) ?? {}
  if ((answer.status === 200 || answer.status === 201) && typeof serverId === 'string' && typeof token === 'string') {
    return { server_id: serverId, token }
  }
  const message = `${url} refuses the registration: ${answer.status} ${errorMessage(body)}`
  throw new Error(message.replace(/[.\s]+$/, '') + remedyFor(answer.status))
}

function remedyFor(status: number): string {
  if (status === 401) return '. Check the API key: it may be mistyped, revoked or expired'
  if (status === 403)
    return '. The API key needs the scope "agent"; a deleted server needs a key that was created after the deletion'
  if (status === 404) return '. Is this the address of a Vedette backend, without /v1?'
  if (status >= 200 && status < 300) return '. The answer is not from a Vedette backend: is the address right?'
  return ''
}
