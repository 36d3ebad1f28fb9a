import {
  ChannelTest,
  ContactMethod,
  ContactMethodList,
  ContactMethodListQuery,
  ContactMethodParams,
  CreateContactMethodBody,
  MAX_CONTACT_METHODS,
  Ref,
} from '@vedette/shared'
import { callerOf, type RouteDeps, tenantOf, userOf } from '../../../access/auth/index.ts'
import { createConcurrencyBound } from '../../../platform/concurrency/concurrency-bound.ts'
import { type App, noContent, NoContent, pageOf } from '../../../platform/http/index.ts'
import { decodeId } from '../../../platform/ids.ts'
import type { ChannelDeps } from '../channels/service.ts'
import { type ChannelTestDeps, testChannel } from '../deliveries/test-channel.ts'
import { createContactMethod, deleteContactMethod, listContactMethods } from './service.ts'
import { findContact } from './store.ts'

const tags = ['auth']
/** Each may wait 10 s for the service. */
const TESTS_AT_ONCE = 2

export function contactMethodRoutes(app: App, deps: ChannelDeps & ChannelTestDeps & RouteDeps): void {
  const { principalOf } = deps
  app.get(
    '/v1/contact-methods',
    {
      schema: {
        operationId: 'listContactMethods',
        summary: 'List your contact methods',
        description:
          'Those of the signed-in user in the organization of the request, newest first. Escalation policies notify a person by all of them.',
        tags,
        querystring: ContactMethodListQuery,
        response: { 200: Ref(ContactMethodList) },
      },
      config: { access: 'member', speaks: true },
    },
    async (request) => listContactMethods(deps, principalOf(request), pageOf(request.query)),
  )

  app.post(
    '/v1/contact-methods',
    {
      schema: {
        operationId: 'createContactMethod',
        summary: 'Add a contact method',
        description: `A way to reach the signed-in user in the organization of the request. At most ${MAX_CONTACT_METHODS} per member.`,
        tags,
        body: Ref(CreateContactMethodBody),
        response: { 201: Ref(ContactMethod) },
      },
      config: {
        access: 'member',
        speaks: true,
        idempotent: false,
        refuses: { 409: 'There are 10, the e-mail is one already, or the e-mail is not verified' },
      },
    },
    async (request, reply) => reply.code(201).send(await createContactMethod(deps, callerOf(deps, request), request.body)),
  )

  app.delete(
    '/v1/contact-methods/:id',
    {
      schema: {
        operationId: 'deleteContactMethod',
        summary: 'Remove a contact method',
        description: 'Pending notifications to it are not sent any more.',
        tags,
        params: ContactMethodParams,
        response: { 204: NoContent },
      },
      config: { access: 'member' },
    },
    async (request, reply) =>
      noContent(reply, deleteContactMethod(deps, callerOf(deps, request), decodeId('channel', request.params.id))),
  )
  testRoute(app, deps)
}

function testRoute(app: App, deps: ChannelDeps & ChannelTestDeps & RouteDeps): void {
  const tests = createConcurrencyBound('tests of contact methods', 'user', TESTS_AT_ONCE)

  app.post(
    '/v1/contact-methods/:id/test',
    {
      schema: {
        operationId: 'testContactMethod',
        summary: 'Send a test message to yourself',
        description: 'Sends one message at once, and returns the answer of the service.',
        tags,
        params: ContactMethodParams,
        response: { 200: Ref(ChannelTest) },
      },
      config: { access: 'member', speaks: true, idempotent: false },
    },
    async (request) => {
      const caller = callerOf(deps, request)
      const [{ number }, { userId }] = [tenantOf(caller.principal), userOf(caller.principal)]
      const id = decodeId('channel', request.params.id)
      return tests.run(userId, async () => testChannel(deps, caller, await findContact(deps.db, number, userId, id)))
    },
  )
}
