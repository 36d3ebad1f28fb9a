import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type { App } from './app.ts'

/** A route that answers in its first hook: none of what the API does for its requests applies. */
export function answerInFirstHook(
  app: App,
  route: { method: HTTPMethods[]; url: string },
  answer: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
): void {
  app.route({
    ...route,
    schema: { hide: true },
    onRequest: (request, reply) => {
      answer(request, reply).catch((error: unknown) => reply.send(error))
    },
    handler: () => {
      throw new Error('The first hook has answered.')
    },
  })
}
