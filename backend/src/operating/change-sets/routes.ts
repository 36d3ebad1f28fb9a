import {
  ChangeSet,
  ChangeSetList,
  ChangeSetListQuery,
  ChangeSetParams,
  CreateChangeSetBody,
  MAX_CHANGE_SET_BYTES,
  Ref,
  UndoChangeSetBody,
} from '@vedette/shared'
import type { ErrorObject } from 'ajv'
import type { FastifyRequest } from 'fastify'
import { callerOf, type CreatingRouteDeps, tenantOf } from '../../access/auth/index.ts'
import { type App, toDetails } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import type { Validate } from './plan.ts'
import type { ChangeSetDeps } from './deps.ts'
import { proposeChanges } from './propose.ts'
import { applyChangeSet, getChangeSet, listChangeSets, prepareChangeSet, undoChangeSet } from './service.ts'
import { inverseOf } from './undo.ts'

const tags = ['configuration']

/** The faults of a spec, by the schema of the request that would create it. */
export const validating =
  (request: FastifyRequest): Validate =>
  (kind, spec) => {
    const validate = request.getValidationFunction(kind.schema) ?? request.compileValidationSchema(kind.schema, 'body')
    // Defaults are filled in here too: they must not reach what was sent.
    return validate(structuredClone(spec))
      ? []
      : toDetails((validate as unknown as { errors: ErrorObject[] | null }).errors ?? [])
  }

const idOf = (request: { params: { id: string } }): string => decodeId('changeSet', request.params.id)

export function changeSetRoutes(app: App, deps: ChangeSetDeps & CreatingRouteDeps): void {
  const { principalOf, creating } = deps

  app.post(
    '/v1/change-sets',
    {
      bodyLimit: MAX_CHANGE_SET_BYTES,
      schema: {
        operationId: 'proposeChanges',
        summary: 'Propose a configuration',
        description: 'Compares it with what there is, and says what would change. Nothing changes before it is applied.',
        tags,
        body: Ref(CreateChangeSetBody),
        response: { 201: Ref(ChangeSet) },
      },
      config: {
        access: 'read',
        idempotent: true,
        locates: true,
        refuses: {
          404: 'The organization was deleted while the request ran',
          409: '20 change sets are proposed, or the request contradicts an earlier one with its Idempotency-Key',
        },
      },
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const body = await proposeChanges({ ...deps, db }, callerOf(deps, request), request.body, validating(request))
        return { status: 201, id: body.id, location: `/v1/change-sets/${body.id}`, body }
      }),
  )

  app.get(
    '/v1/change-sets',
    {
      schema: {
        operationId: 'listChangeSets',
        summary: 'List change sets',
        description: 'Every change of the configuration, newest first: those of files, and those by hand, which have no owner.',
        tags,
        querystring: ChangeSetListQuery,
        response: { 200: Ref(ChangeSetList) },
      },
      config: { access: 'read' },
    },
    async (request) => listChangeSets(deps, tenantOf(principalOf(request)), request.query),
  )

  app.get(
    '/v1/change-sets/:id',
    {
      schema: {
        operationId: 'getChangeSet',
        summary: 'Get a change set with its steps',
        description: 'Secrets are shown as `•••`, and what else a caller cannot read of a resource.',
        tags,
        params: ChangeSetParams,
        response: { 200: Ref(ChangeSet) },
      },
      config: { hasEtag: true, access: 'read' },
    },
    async (request) => getChangeSet(deps, principalOf(request), idOf(request)),
  )
}

/** What changes the configuration. */
export function applyRoutes(app: App, deps: ChangeSetDeps & CreatingRouteDeps): void {
  const { creating } = deps

  app.post(
    '/v1/change-sets/:id/apply',
    {
      schema: {
        operationId: 'applyChangeSet',
        summary: 'Apply a change set',
        description:
          'All of it or nothing. Each step needs the permission of its own request. A resource that has changed since the proposal is a conflict.',
        tags,
        params: ChangeSetParams,
        response: { 200: Ref(ChangeSet) },
      },
      config: {
        access: 'read',
        idempotent: true,
        hasManySteps: true,
        refuses: {
          402: 'The plan does not allow a step',
          403: 'The credentials have no permission for a step',
          409: 'A resource has changed since, a step is refused, or the change set has been applied or has expired',
        },
      },
    },
    async (request, reply) => {
      const [caller, id] = [callerOf(deps, request), idOf(request)]
      const prepared = await prepareChangeSet(deps, caller, id, (steps) => steps)
      return creating(request, reply, async (db) => {
        const body = await applyChangeSet({ ...deps, db }, caller, id, prepared)
        return { status: 200, id: body.id, body }
      })
    },
  )

  app.post(
    '/v1/change-sets/:id/undo',
    {
      schema: {
        operationId: 'undoChangeSet',
        summary: 'Take a change set back',
        description:
          'At once, as a new change set. What was deleted comes back with its id and history. A resource that was changed since is a conflict, unless `force` names it.',
        tags,
        params: ChangeSetParams,
        body: Ref(UndoChangeSetBody),
        response: { 200: Ref(ChangeSet) },
      },
      config: {
        access: 'read',
        idempotent: true,
        hasManySteps: true,
        refuses: {
          402: 'The plan does not allow a step',
          403: 'The credentials have no permission for a step',
          409: 'A resource has changed since, or the change set was not applied, or was taken back',
        },
      },
    },
    async (request, reply) => {
      const [caller, id] = [callerOf(deps, request), idOf(request)]
      const prepared = await prepareChangeSet(deps, caller, id, inverseOf)
      return creating(request, reply, async (db) => {
        const body = await undoChangeSet({ ...deps, db }, caller, id, request.body, prepared)
        return { status: 200, id: body.id, body }
      })
    },
  )
}
