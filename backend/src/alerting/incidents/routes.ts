import {
  AcknowledgeIncidentBody,
  Incident,
  IncidentCommentBody,
  IncidentList,
  IncidentListQuery,
  IncidentParams,
  IncidentStory,
  PostMortem,
  IncidentStoryQuery,
  IncidentStepBody,
  Ref,
} from '@vedette/shared'
import type { Static, TSchema } from 'typebox'
import { type Caller, callerOf, type CreatingRouteDeps, tenantOf } from '../../access/auth/index.ts'
import { type App, pageOf, readerLanguage } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import { toPostMortem } from './stories/post-mortem.ts'
import { readStory } from './stories/read-story.ts'
import {
  acknowledgeIncident,
  commentIncident,
  resolveIncidentManually,
  getIncident,
  type IncidentDeps,
  listIncidents,
} from './service.ts'

const tags = ['alerts']

/** What a person does about an incident. */
interface Step<Body extends TSchema> {
  path: string
  texts: { operationId: string; summary: string; description: string }
  body: Body
  take(deps: IncidentDeps, caller: Caller, id: string, body: Static<Body>): Promise<Incident>
}

const incidentId = (request: { params: { id: string } }): string => decodeId('incident', request.params.id)

export function incidentRoutes(app: App, deps: IncidentDeps & CreatingRouteDeps): void {
  const { principalOf } = deps

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
      config: { access: 'read', speaks: true },
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
      config: { hasEtag: true, access: 'read', speaks: true },
    },
    async (request) => getIncident(deps, tenantOf(principalOf(request)), incidentId(request)),
  )

  storyRoute(app, deps)

  stepRoute(app, deps, {
    path: '/v1/incidents/:id/acknowledge',
    texts: {
      operationId: 'acknowledgeIncident',
      summary: 'Acknowledge an incident',
      description:
        'Ends its escalation. Does not change a resolved incident, or without `snooze_seconds` an acknowledged one, but adds the comment.',
    },
    body: AcknowledgeIncidentBody,
    take: acknowledgeIncident,
  })

  stepRoute(app, deps, {
    path: '/v1/incidents/:id/resolve',
    texts: {
      operationId: 'resolveIncident',
      summary: 'Resolve an incident',
      description:
        'Does not change a resolved incident, but adds the comment. The rule opens another incident only after its condition has ended and holds again.',
    },
    body: IncidentStepBody,
    take: (deps, caller, id, { comment }) => resolveIncidentManually(deps, caller, id, comment),
  })

  stepRoute(app, deps, {
    path: '/v1/incidents/:id/comments',
    texts: {
      operationId: 'commentIncident',
      summary: 'Comment on an incident',
      description: 'Adds to the timeline, also of a resolved incident.',
    },
    body: IncidentCommentBody,
    take: (deps, caller, id, { comment }) => commentIncident(deps, caller, id, comment),
  })
}

function storyRoute(app: App, deps: IncidentDeps & CreatingRouteDeps): void {
  app.get(
    '/v1/incidents/:id/story',
    {
      schema: {
        operationId: 'getIncidentStory',
        summary: 'Get the story of an incident',
        description:
          'All incidents with the same cause: what is affected, what changed in the hour before, who was notified, comments and posts of status pages, on one line of time. `format=markdown` answers `text/markdown`, a post-mortem to complete.',
        tags,
        params: IncidentParams,
        querystring: IncidentStoryQuery,
        response: {
          200: {
            description: 'The format that was chosen',
            content: { 'application/json': { schema: Ref(IncidentStory) }, 'text/markdown': { schema: Ref(PostMortem) } },
          },
        },
      },
      config: { access: 'read', speaks: true },
    },
    async (request, reply) => {
      const story = await readStory(deps, tenantOf(deps.principalOf(request)), incidentId(request))
      if (request.query.format !== 'markdown') return story
      const name = `post-mortem-${story.opened_at.slice(0, 10)}.md`
      const language = readerLanguage(request)
      if (language !== 'en') reply.header('content-language', language)
      return reply
        .headers({
          'content-type': 'text/markdown; charset=utf-8',
          'content-disposition': `attachment; filename="${name}"`,
        })
        .send(toPostMortem(story, language))
    },
  )
}

function stepRoute<Body extends TSchema>(
  app: App,
  deps: IncidentDeps & CreatingRouteDeps,
  { path, texts, body, take }: Step<Body>,
): void {
  app.post(
    path,
    {
      schema: { ...texts, tags, params: IncidentParams, body: Ref(body), response: { 200: Ref(Incident) } },
      config: { access: 'monitors:update', speaks: true, idempotent: true },
    },
    async (request, reply) =>
      deps.creating(request, reply, async (db) => {
        const given = request.body as Static<Body>
        const answer = await take({ ...deps, db }, callerOf(deps, request), incidentId(request), given)
        return { status: 200, id: answer.id, body: answer }
      }),
  )
}
