import type { FastifyRequest, RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import type { App } from './app.ts'
import { createSchemaOf } from './named-schemas.ts'

/**
 * Takes requests without a body where each of its fields is optional: many clients send none with an acknowledgement or a DELETE. A
 * PATCH without one changes nothing, which nobody means. For the routes that are registered after it.
 */
export function takeMissingBodies(app: App, schemas: readonly TSchema[]): void {
  const schemaOf = createSchemaOf(schemas)
  app.addHook('onRoute', (route: RouteOptions) => {
    const { type, required = [], minProperties = 0 } = schemaOf(route.schema?.body)
    if (type !== 'object' || required.length > 0 || minProperties > 0 || [route.method].flat().includes('PATCH')) return
    route.preValidation = [fillIn, ...[route.preValidation ?? []].flat()]
  })
}

function fillIn(request: FastifyRequest, _reply: unknown, done: () => void): void {
  request.body ??= {}
  done()
}
