import {
  CreateEnrollmentTokenBody,
  EnrollmentTokenList,
  EnrollmentTokenListQuery,
  EnrollmentTokenParams,
  NewEnrollmentToken,
  Ref,
} from '@vedette/shared'
import { callerOf, type CreatingRouteDeps, tenantOf } from '../../access/auth/index.ts'
import { type App, noContent, NoContent, pageOf } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import { createToken, type EnrollmentTokenDeps, listTokens, revokeToken } from './service.ts'

export function enrollmentTokenRoutes(app: App, deps: EnrollmentTokenDeps & CreatingRouteDeps): void {
  const { principalOf, creating } = deps

  app.get(
    '/v1/enrollment-tokens',
    {
      schema: {
        operationId: 'listEnrollmentTokens',
        summary: 'List enrollment tokens',
        description: 'Newest first, without their secrets; including used, revoked and, for 30 days, expired ones.',
        tags: ['api keys'],
        querystring: EnrollmentTokenListQuery,
        response: { 200: Ref(EnrollmentTokenList) },
      },
      config: { access: 'enroll' },
    },
    async (request) => listTokens(deps, tenantOf(principalOf(request)), pageOf(request.query)),
  )

  app.post(
    '/v1/enrollment-tokens',
    {
      schema: {
        operationId: 'createEnrollmentToken',
        summary: 'Create an enrollment token',
        description:
          'With `token`, which is shown only in this response, hosts register (`POST /v1/agent/register`, as `X-API-Key`) and nothing ' +
          'else is possible. New servers get its tags.',
        tags: ['api keys'],
        body: Ref(CreateEnrollmentTokenBody),
        response: { 201: Ref(NewEnrollmentToken) },
      },
      config: {
        access: 'enroll',
        idempotent: 'secret',
        refuses: {
          404: 'The organization was deleted while the request ran',
          409: '1,000 tokens can still be used, or the request was sent before with its Idempotency-Key',
        },
      },
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const body = await createToken({ ...deps, db }, callerOf(deps, request), request.body)
        return { status: 201, id: body.id, body }
      }),
  )

  app.delete(
    '/v1/enrollment-tokens/:id',
    {
      schema: {
        operationId: 'revokeEnrollmentToken',
        summary: 'Revoke an enrollment token',
        description:
          'It registers no host from the answer on. Servers that it registered stay. Revoking it again changes nothing.',
        tags: ['api keys'],
        params: EnrollmentTokenParams,
        response: { 204: NoContent },
      },
      config: { access: 'enroll' },
    },
    async (request, reply) =>
      noContent(reply, revokeToken(deps, callerOf(deps, request), decodeId('enrollmentToken', request.params.id))),
  )
}
