import type { TakenAlerts } from '@vedette/shared'
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import { type Actor, SYSTEM } from '../../../access/audit/index.ts'
import { hashSecret } from '../../../access/auth/index.ts'
import { invalid, notFound, unauthorized } from '../../../platform/errors.ts'
import { type App, decodeText, inflateBody } from '../../../platform/http/index.ts'
import type { Intake, IntakeRequest } from '../intake.ts'
import type { IntakeLimits } from '../limits.ts'

export interface SenderDeps {
  intake: Intake
  limits: IntakeLimits
}

export const MAX_BODY_BYTES = 1_048_576

/** What the parser leaves of a body: samples have it as it was sent. */
interface ParsedBody {
  bytes: Buffer
  value: unknown
}

/** Reads bodies of any content type as JSON: senders name all kinds of types. */
export function takeJson(scope: App): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES },
    async (request: FastifyRequest, body: Buffer): Promise<ParsedBody> => {
      const bytes = (await inflateBody(request, body)) ?? body
      return { bytes, value: parseJson(bytes) }
    },
  )
}

function parseJson(bytes: Buffer): unknown {
  // Some senders give a content type and no body.
  if (bytes.length === 0) return undefined
  try {
    return JSON.parse(decodeText(bytes))
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid({ path: '', message: 'must be JSON' })
    throw error
  }
}

export const parsedBody = ({ body }: FastifyRequest): ParsedBody =>
  (body as ParsedBody | undefined) ?? { bytes: Buffer.alloc(0), value: undefined }

const tokenInPath = ({ params }: FastifyRequest): string | undefined => (params as { token?: string } | undefined)?.token

/** In the path, as Bearer token, or as the password of HTTP Basic; empty where there is none. */
export function tokenOf(request: FastifyRequest): string {
  const token = tokenInPath(request)
  if (token !== undefined) return token
  const [scheme = '', value = ''] = (request.headers.authorization ?? '').split(' ', 2)
  if (scheme.toLowerCase() === 'bearer' && value !== '') return value
  if (scheme.toLowerCase() !== 'basic') return ''
  return Buffer.from(value, 'base64')
    .toString()
    .replace(/^[^:]*:/, '')
}

const nameOf = (request: FastifyRequest): string => hashSecret(tokenOf(request)).toString('latin1')

/** How the routes of senders are called: the token is the only credential, and counts the requests. */
export const SENDER_CONFIG = {
  access: 'open',
  idempotent: false,
  checksOwnBody: true,
  countsItself: true,
  inflatedLimit: MAX_BODY_BYTES,
} as const

/** Counts a request before its body is read, and one that is refused by its address too. */
export const countedBy = ({ limits }: Pick<SenderDeps, 'limits'>) => ({
  onRequest: async (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    void reply.headers(limits.admit(request.ip, nameOf(request))),
  onSend: async (request: FastifyRequest, { statusCode }: FastifyReply, payload: unknown): Promise<unknown> => {
    if (statusCode >= 400 && statusCode < 500 && statusCode !== 429) limits.refused(request.ip, nameOf(request))
    return payload
  },
})

/** Routes in the form of another protocol: described there, and not again in the OpenAPI document. */
export function senderRoutes(deps: Pick<SenderDeps, 'limits'>, errorAnswer: NonNullable<FastifyContextConfig['errorAnswer']>) {
  const schema = { hide: true, querystring: ANY_QUERY, response: ANY_ANSWER }
  const get = {
    schema,
    config: { ...SENDER_CONFIG, errorAnswer },
    bodyLimit: MAX_BODY_BYTES,
    ...countedBy(deps),
  }
  return { get, post: { ...get, schema: { ...schema, body: {} } } }
}

const ANY_QUERY = { type: 'object', additionalProperties: true }
const ANY_ANSWER = { '2xx': {} }

/** What a sender changes is done by the installation, from the address of the sender. */
export const actorAt = ({ ip }: FastifyRequest): Actor => ({ ...SYSTEM, ip })

/** What belongs to the token of a request; counts whether it is known. Throws not_found, unauthorized. */
export async function requireKnown<T>(
  { limits }: Pick<SenderDeps, 'limits'>,
  request: FastifyRequest,
  found: Promise<T | undefined>,
): Promise<T> {
  const known = await found
  limits.learn(nameOf(request), known !== undefined)
  if (known === undefined) throw tokenInPath(request) === undefined ? unauthorized() : notFound()
  return known
}

/** Takes the alerts of a request. Throws not_found, validation_error. */
export function takeRequest(
  deps: SenderDeps,
  request: FastifyRequest,
  own: Pick<IntakeRequest, 'type' | 'read'> = {},
): Promise<TakenAlerts> {
  const { bytes, value } = parsedBody(request)
  const { headers } = request
  return requireKnown(deps, request, deps.intake.take({ token: tokenOf(request), bytes, body: value, headers, ...own }))
}
