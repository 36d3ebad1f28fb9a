import {
  ChannelTest,
  PushSubscriptionBody,
  PushSubscriptionItem,
  PushSubscriptionList,
  PushSubscriptionListQuery,
  PushSubscriptionParams,
  Ref,
} from '@vedette/shared'
import { type RouteDeps, userOf } from '../../../access/auth/index.ts'
import { createConcurrencyBound } from '../../../platform/concurrency/concurrency-bound.ts'
import { type App, noContent, NoContent, originOf, pageOf } from '../../../platform/http/index.ts'
import { decodeId } from '../../../platform/ids.ts'
import { addBrowser, type BrowserDeps, listBrowsers, removeBrowser, testBrowser } from './service.ts'

const tags = ['auth']
/** Each may wait 10 s for the push service. */
const TESTS_AT_ONCE = 2

export function browserRoutes(app: App, { principalOf, ...deps }: BrowserDeps & RouteDeps): void {
  const tests = createConcurrencyBound('tests of notifications', 'user', TESTS_AT_ONCE)

  app.get(
    '/v1/push-subscriptions',
    {
      schema: {
        operationId: 'listPushSubscriptions',
        summary: 'List the browsers that show notifications',
        description: 'Those of the signed-in user, newest first, and the public key for which a browser subscribes.',
        tags,
        querystring: PushSubscriptionListQuery,
        response: { 200: Ref(PushSubscriptionList) },
      },
      config: { access: 'session', speaks: true },
    },
    (request) => listBrowsers(deps, userOf(principalOf(request)), pageOf(request.query)),
  )

  app.post(
    '/v1/push-subscriptions',
    {
      schema: {
        operationId: 'createPushSubscription',
        summary: 'Show notifications in a browser',
        description:
          'The browser gets each step of the incidents in all organizations of the user, by Web Push (RFC 8030), until it is removed or ' +
          'the session is ended; it outlasts a session that expires. An endpoint that is stored already is replaced. At most 20 per user.',
        tags,
        body: Ref(PushSubscriptionBody),
        response: { 201: Ref(PushSubscriptionItem) },
      },
      config: { access: 'session', speaks: true, idempotent: false, refuses: { 409: 'The user has 20 browsers' } },
    },
    async (request, reply) => {
      const { userAgent } = originOf(request, reply)
      return reply.code(201).send(await addBrowser(deps, userOf(principalOf(request)), request.body, userAgent))
    },
  )

  app.delete(
    '/v1/push-subscriptions/:id',
    {
      schema: {
        operationId: 'deletePushSubscription',
        summary: 'Stop the notifications in a browser',
        description: 'Pending ones are not sent any more.',
        tags,
        params: PushSubscriptionParams,
        response: { 204: NoContent },
      },
      config: { access: 'session' },
    },
    async (request, reply) =>
      noContent(reply, removeBrowser(deps, userOf(principalOf(request)), decodeId('pushSubscription', request.params.id))),
  )

  app.post(
    '/v1/push-subscriptions/:id/test',
    {
      schema: {
        operationId: 'testPushSubscription',
        summary: 'Send a test notification to a browser',
        description: 'Sends it at once, and returns the answer of the push service. A browser that has unsubscribed is removed.',
        tags,
        params: PushSubscriptionParams,
        response: { 200: Ref(ChannelTest) },
      },
      config: { access: 'session', speaks: true, idempotent: false },
    },
    async (request) => {
      const user = userOf(principalOf(request))
      return tests.run(user.userId, () => testBrowser(deps, user, decodeId('pushSubscription', request.params.id)))
    },
  )
}
