import { Annotation, ANNOTATION_DAYS, AnnotationList, AnnotationListQuery, CreateAnnotationBody, Ref } from '@vedette/shared'
import { callerOf, type CreatingRouteDeps, tenantOf } from '../../access/auth/index.ts'
import type { App } from '../../platform/http/index.ts'
import { type AnnotationDeps, createAnnotation, listAnnotations } from './service.ts'

export function annotationRoutes(app: App, deps: AnnotationDeps & CreatingRouteDeps): void {
  const { principalOf, creating } = deps

  app.get(
    '/v1/annotations',
    {
      schema: {
        operationId: 'listAnnotations',
        summary: 'List annotations',
        description: `By the time at which it happened, newest first; kept for ${ANNOTATION_DAYS} days. \`from\` is inclusive, \`to\` is exclusive.`,
        tags: ['monitors'],
        querystring: AnnotationListQuery,
        response: { 200: Ref(AnnotationList) },
      },
      config: { access: 'read' },
    },
    async (request) => listAnnotations(deps, tenantOf(principalOf(request)), request.query),
  )

  app.post(
    '/v1/annotations',
    {
      schema: {
        operationId: 'createAnnotation',
        summary: 'Create an annotation',
        description:
          'Records what happened, for example a deploy. Charts of its server or monitor mark it; without both, those of everything ' +
          'with one of its tags; without tags too, all charts.',
        tags: ['monitors'],
        body: Ref(CreateAnnotationBody),
        response: { 201: Ref(Annotation) },
      },
      config: {
        access: 'monitors:update',
        idempotent: true,
        refuses: {
          404: 'The organization was deleted while the request ran',
          409: '20,000 annotations are stored, or the request contradicts an earlier one with its Idempotency-Key',
        },
      },
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const body = await createAnnotation({ ...deps, db }, callerOf(deps, request), request.body)
        return { status: 201, id: body.id, body }
      }),
  )
}
