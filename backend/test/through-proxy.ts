import { type IncomingMessage, request as sendRequest } from 'node:http'
import { readViolations, startProxy, whyNotCarried } from '@vedette/contract/proxy'
import { afterAll } from 'vitest'
import { type Description, expectPromises, publishedRoutes, routeOf } from './fuzz/published-routes.ts'
import type { Answer } from './answer.ts'

/** `npm run test:proxy`: every call of every suite goes through a validating proxy. */
export const THROUGH_PROXY = process.env['TEST_THROUGH_PROXY'] === '1'

/** A request as the harness sends it. */
export interface Call {
  method: string
  url: string
  headers: Record<string, string>
  body: string | Buffer | undefined
  ip: string
}
export type Send = (call: Call) => Promise<Answer>

/** How many calls went through the proxy, and how many it could not carry, by reason. */
const carried = { count: 0, not: new Map<string, number>() }
if (THROUGH_PROXY) {
  afterAll(() => {
    const others = [...carried.not].map(([reason, count]) => `${count} ${reason}`).join(', ')
    console.info(`proxy: ${carried.count} calls through prism; not carried: ${others || 'none'}`)
  })
}

/**
 * Sends calls to the listening backend through prism, and fails the call whose answer the description does not contain, or whose
 * request it forbids although it was answered with a success. What prism cannot pass on as it is goes `directly`, and its answer
 * is held to the same description by another validator.
 */
export async function proxied(
  description: object,
  port: number,
  directly: Send,
): Promise<{ send: Send; close(): Promise<void> }> {
  const routes = publishedRoutes(description as unknown as Description)
  const { url: proxy, close } = await startProxy(description, `http://127.0.0.1:${port}`)
  const validate: ValidateAnswer = ({ method, url }, answer) => {
    const route = routeOf(routes, method, url)
    // Some tests make the backend fail on purpose.
    if (route) expectPromises(answer, route, false)
  }
  const send: Send = async (given) => {
    const call = behindProxy(given)
    const reason = isDescribed(call.url) ? whyNotCarried(call) : 'page'
    if (reason === undefined) {
      carried.count += 1
      return sendThrough(proxy, call, validate)
    }
    carried.not.set(reason, (carried.not.get(reason) ?? 0) + 1)
    const answer = await directly(call)
    validate(call, answer)
    return answer
  }
  return { send, close }
}

/** The backend believes one proxy more than it is set to, and so sees the address that the call is to come from. */
function behindProxy(call: Call): Call {
  const forwarded = [call.headers['x-forwarded-for'], call.ip].filter((part) => part !== undefined).join(', ')
  return { ...call, headers: { ...call.headers, 'x-forwarded-for': forwarded }, ip: '127.0.0.1' }
}

const isDescribed = (url: string): boolean => /^\/(?:v1\/|healthz|readyz)/.test(url)

type ValidateAnswer = (call: Call, answer: Answer) => void

async function sendThrough(proxy: string, call: Call, validate: ValidateAnswer): Promise<Answer> {
  const { method, url } = call
  const { response, text } = await exchange(proxy, call)
  const { statusCode: status = 0, headers: answered } = response
  const { 'sl-violations': reported, ...own } = answered
  const what = `${method} ${url} ${status}: ${text.slice(0, 500)}`
  if (String(own['content-type']).startsWith('application/problem+json')) throw new Error(`prism gave up: ${what}`)
  const isTaken = status < 300 && method !== 'HEAD'
  const violations = readViolations(reported)?.filter(({ location }) => location[0] === 'response' || isTaken)
  if (violations && violations.length > 0)
    throw new Error(`breaks the description: ${JSON.stringify(violations, null, 1)}\n${what}`)
  const answer = { status, headers: own, body: text === '' ? undefined : parse(text) }
  if (!violations) validate(call, answer)
  return answer
}

function exchange(proxy: string, { method, url, headers, body }: Call): Promise<{ response: IncomingMessage; text: string }> {
  // Node sends the length by itself, but not for DELETE.
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return new Promise((resolve, reject) => {
    const request = sendRequest(`${proxy}${url}`, { method, headers: { ...headers, ...length }, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ response, text: Buffer.concat(chunks).toString() }))
    })
    request.on('error', reject)
    request.end(body)
  })
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
