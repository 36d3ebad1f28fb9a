import {
  AcknowledgeIncidentBody,
  Incident,
  IncidentCommentBody,
  IncidentList,
  IncidentListQuery,
  IncidentParams,
  IncidentStepBody,
  Ref,
} from '@vedette/shared'
import { type CreatingRouteDeps, tenantOf } from '../../access/auth/index.ts'
import { type App, pageOf } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import {
  acknowledgeIncident,
  commentIncident,
  resolveIncidentManually,
  getIncident,
  type IncidentDeps,
  listIncidents,
} from './service.ts'

const tags = ['alerts']

export function incidentRoutes(app: App, { principalOf, creating, ...deps }: IncidentDeps & CreatingRouteDeps): void {
  const actorOf = (request: { ip: string }) => ({ principal: principalOf(request), ip: request.ip })
  const incidentId = (request: { params: { id: string } }): string => decodeId('incident', request.params.id)

  app.get(
    '/v1/incidents',
    {
      schema: {
        operationId: 'listIncidents',
        summary: 'List incidents',
        description: 'Newest first, unless `sort` says otherwise. Incidents are kept for 400 days.',
        tags,
        querystring: IncidentListQuery,
        response: { 200: Ref(IncidentList) },
      },
      config: { access: 'read' },
    },
    async (request) => listIncidents(deps, tenantOf(principalOf(request)), request.query, pageOf(request.query)),
  )

  app.get(
    '/v1/incidents/:id',
    {
      schema: {
        operationId: 'getIncident',
        summary: 'Get an incident with its timeline',
        description: 'Includes the evidence that was collected when it opened.',
        tags,
        params: IncidentParams,
        response: { 200: Ref(Incident) },
      },
      config: { hasEtag: true, access: 'read' },
    },
    async (request) => getIncident(deps, tenantOf(principalOf(request)), incidentId(request)),
  )

  app.post(
    '/v1/incidents/:id/acknowledge',
    {
      schema: {
        operationId: 'acknowledgeIncident',
        summary: 'Acknowledge an incident',
        description:
          'Ends its escalation. Does not change a resolved incident, or without `snooze_seconds` an acknowledged one, but adds the comment.',
        tags,
        params: IncidentParams,
        body: Ref(AcknowledgeIncidentBody),
        response: { 200: Ref(Incident) },
      },
      config: { access: 'monitors:update', idempotent: true },
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const body = await acknowledgeIncident({ ...deps, db }, actorOf(request), incidentId(request), request.body)
        return { status: 200, id: body.id, body }
      }),
  )

  app.post(
    '/v1/incidents/:id/resolve',
    {
      schema: {
        operationId: 'resolveIncident',
        summary: 'Resolve an incident',
        description:
          'Does not change a resolved incident, but adds the comment. The rule opens another incident only after its condition has ended and holds again.',
        tags,
        params: IncidentParams,
        body: Ref(IncidentStepBody),
        response: { 200: Ref(Incident) },
      },
      config: { access: 'monitors:update', idempotent: true },
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const body = await resolveIncidentManually({ ...deps, db }, actorOf(request), incidentId(request), request.body.comment)
        return { status: 200, id: body.id, body }
      }),
  )

  app.post(
    '/v1/incidents/:id/comments',
    {
      schema: {
        operationId: 'commentIncident',
        summary: 'Comment on an incident',
        description: 'Adds to the timeline, also of a resolved incident.',
        tags,
        params: IncidentParams,
        body: Ref(IncidentCommentBody),
        response: { 200: Ref(Incident) },
      },
      config: { access: 'monitors:update', idempotent: true },
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const body = await commentIncident({ ...deps, db }, actorOf(request), incidentId(request), request.body.comment)
        return { status: 200, id: body.id, body }
      }),
  )
}
