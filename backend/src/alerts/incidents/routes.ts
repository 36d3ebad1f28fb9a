import {
  Incident,
  IncidentCommentBody,
  IncidentList,
  IncidentListQuery,
  IncidentParams,
  IncidentStepBody,
  Ref,
} from '@vedette/shared'
import { type Principal, tenantOf } from '../../auth/index.ts'
import type { App } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import type { AlertDeps } from '../deps.ts'
import { acknowledgeIncident, commentIncident, endIncident, getIncident, listIncidents } from './steps.ts'

export interface IncidentRouteDeps extends AlertDeps {
  principalOf(request: object): Principal
}

const tags = ['alerts']
/** Clients may send no body at all. */
const withoutBody = async (request: { body: unknown }): Promise<void> => {
  request.body ??= {}
}

export function incidentRoutes(app: App, { principalOf, ...deps }: IncidentRouteDeps): void {
  const actorOf = (request: { ip: string }) => ({ principal: principalOf(request), ip: request.ip })
  const incidentId = (request: { params: { id: string } }): string => decodeId('incident', request.params.id)

  app.get(
    '/v1/incidents',
    {
      schema: {
        operationId: 'listIncidents',
        summary: 'List incidents',
        description: 'Newest first, for 400 days.',
        tags,
        querystring: IncidentListQuery,
        response: { 200: Ref(IncidentList) },
      },
      config: { access: 'read' },
    },
    async (request) => {
      const { page = 1, limit = 20, status } = request.query
      return listIncidents(deps, tenantOf(principalOf(request)), status, { page, limit })
    },
  )

  app.get(
    '/v1/incidents/:id',
    {
      schema: {
        operationId: 'getIncident',
        summary: 'One incident with its timeline',
        description: 'With what was known when it opened.',
        tags,
        params: IncidentParams,
        response: { 200: Ref(Incident) },
      },
      config: { access: 'read' },
    },
    async (request) => getIncident(deps, tenantOf(principalOf(request)), incidentId(request)),
  )

  app.post(
    '/v1/incidents/:id/acknowledge',
    {
      schema: {
        operationId: 'acknowledgeIncident',
        summary: 'Say that somebody has seen it',
        description: 'One that is acknowledged or resolved stays so; a comment is added all the same.',
        tags,
        params: IncidentParams,
        body: Ref(IncidentStepBody),
        response: { 200: Ref(Incident) },
      },
      config: { access: 'monitors:update' },
      preValidation: withoutBody,
    },
    async (request) => acknowledgeIncident(deps, actorOf(request), incidentId(request), request.body.comment),
  )

  app.post(
    '/v1/incidents/:id/resolve',
    {
      schema: {
        operationId: 'resolveIncident',
        summary: 'End an incident by hand',
        description: 'One that is resolved stays so. Another opens once what it is about was over, and is back.',
        tags,
        params: IncidentParams,
        body: Ref(IncidentStepBody),
        response: { 200: Ref(Incident) },
      },
      config: { access: 'monitors:update' },
      preValidation: withoutBody,
    },
    async (request) => endIncident(deps, actorOf(request), incidentId(request), request.body.comment),
  )

  app.post(
    '/v1/incidents/:id/comments',
    {
      schema: {
        operationId: 'commentIncident',
        summary: 'Write into the timeline of an incident',
        description: 'Also of one that is resolved.',
        tags,
        params: IncidentParams,
        body: Ref(IncidentCommentBody),
        response: { 200: Ref(Incident) },
      },
      config: { access: 'monitors:update' },
    },
    async (request) => commentIncident(deps, actorOf(request), incidentId(request), request.body.comment),
  )
}
