import { Ref, SentAlerts, TakenAlerts } from '@vedette/shared'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { hashSecret } from '../../access/auth/index.ts'
import { invalid, notFound, unauthorized } from '../../platform/errors.ts'
import { type App, decodeText, type RateLimiter } from '../../platform/http/index.ts'
import type { Intake } from './intake.ts'
import { createIntakeLimits } from './limits.ts'

export interface IntakeRouteDeps {
  intake: Intake
  limiter: RateLimiter
  settings: { rateLimits?: { ping: number } | undefined }
}

const MAX_BODY_BYTES = 1_048_576

/** What the parser leaves of a body: samples have it as it was sent. */
interface ParsedBody {
  bytes: Buffer
  value: unknown
}

const PARAMS = Type.Object({
  token: Type.String({ maxLength: 8_192, description: 'Token of the alert source: `vdt_in_…`' }),
})

const DESCRIPTION =
  'What an alert source posts, as its type says: JSON up to 1 MiB, of any content type. The answer comes after the commit; a repeat changes nothing. `POST /v1/in` takes the same with the token as Bearer token or as the password of HTTP Basic. Each source may send as many requests a minute as pings may come, and those of five minutes at once.'

/** The addresses to which senders post their alerts. The token is the only credential. */
export function intakeRoutes(app: App, { intake, limiter, settings }: IntakeRouteDeps): void {
  const limits = createIntakeLimits(limiter, settings.rateLimits?.ping)
  const common = {
    bodyLimit: MAX_BODY_BYTES,
    onRequest: async (request: FastifyRequest, reply: FastifyReply) =>
      void reply.headers(limits.admit(request.ip, nameOf(tokenOf(request)))),
  }
  const open = { access: 'open', idempotent: false, checksOwnBody: true, countsItself: true } as const

  async function take(request: FastifyRequest): Promise<TakenAlerts> {
    const token = tokenOf(request)
    const { bytes, value } = (request.body ?? { bytes: Buffer.alloc(0), value: undefined }) as ParsedBody
    const taken = await intake.take({ token, bytes, body: value, headers: request.headers })
    limits.learn(request.ip, nameOf(token), taken !== undefined)
    if (!taken) throw notFound()
    return taken
  }

  app.register(async (scope) => {
    parseAnyType(scope)
    inPath(scope)
    // Published with the other one.
    scope.post('/v1/in', { ...common, schema: { hide: true, body: {}, response: { 200: Ref(TakenAlerts) } }, config: open }, take)
  })

  function inPath(app: App): void {
    app.post(
      '/v1/in/:token',
      {
        ...common,
        schema: {
          operationId: 'takeAlerts',
          summary: 'Take alerts of a sender',
          description: DESCRIPTION,
          tags: ['alerts'],
          params: PARAMS,
          body: Ref(SentAlerts),
          response: { 200: Ref(TakenAlerts) },
        },
        config: {
          ...open,
          refuses: { 404: 'The token is unknown, or its source is disabled or deleted' },
        },
      },
      take,
    )
  }
}

/** Senders name all kinds of types. */
function parseAnyType(scope: App): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, (_request, body: Buffer, done) => {
    try {
      done(null, { bytes: body, value: parseJson(body) } satisfies ParsedBody)
    } catch (error) {
      done(error as Error)
    }
  })
}

const nameOf = (token: string): string => hashSecret(token).toString('latin1')

/** In the path, as Bearer token, or as the password of HTTP Basic. Throws unauthorized. */
function tokenOf(request: FastifyRequest): string {
  const { token } = (request.params ?? {}) as { token?: string }
  if (token !== undefined) return token
  const [scheme = '', value = ''] = (request.headers.authorization ?? '').split(' ', 2)
  if (scheme.toLowerCase() === 'bearer' && value !== '') return value
  const password =
    scheme.toLowerCase() === 'basic'
      ? Buffer.from(value, 'base64')
          .toString()
          .replace(/^[^:]*:/, '')
      : ''
  if (password === '') throw unauthorized()
  return password
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(decodeText(bytes))
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid({ path: '', message: 'must be JSON' })
    throw error
  }
}
