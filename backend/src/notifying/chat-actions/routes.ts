import {
  CHAT_SERVICES,
  ChatAccount,
  ChatAccountList,
  ChatAccountListQuery,
  ChatAccountParams,
  type ChatService,
  ConnectChatAccountBody,
  Ref,
} from '@vedette/shared'
import { callerOf, type RouteDeps } from '../../access/auth/index.ts'
import type { OutboundRequest } from '../notifications/index.ts'
import { type App, noContent, NoContent, pageOf } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import type { Log } from '../../platform/logging/log.ts'
import { type ChatDeps, connectChatAccount, handleChat, listChatAccounts, removeChatAccount } from './service.ts'

/** A message with its blocks has some 10 kB. */
const MAX_BODY_BYTES = 65_536
const tags = ['auth']

/** Where chats send the presses of buttons. They are no calls of clients: docs/escalation.md describes them. */
export async function chatActionRoutes(app: App, deps: ChatDeps & { log: Log }): Promise<void> {
  await app.register(async (chats) => {
    // The signature is of the very text.
    chats.removeContentTypeParser('application/json')
    chats.addContentTypeParser(
      ['application/json', 'application/x-www-form-urlencoded'],
      { parseAs: 'string', bodyLimit: MAX_BODY_BYTES },
      (_request, body, done) => done(null, String(body)),
    )
    for (const service of CHAT_SERVICES) chatRoute(chats, deps, service)
  })
}

function chatRoute(chats: App, { log, ...deps }: ChatDeps & { log: Log }, service: ChatService): void {
  chats.post(`/chat-actions/${service}/:channelId`, { schema: { hide: true } }, async (request, reply) => {
    const { channelId } = request.params as { channelId: string }
    const body = typeof request.body === 'string' ? request.body : ''
    const answer = await handleChat(deps, { service, channelId, ip: request.ip }, { headers: request.headers, body })
    // The service waits three seconds for the response; its answers may take longer.
    for (const request of answer.requests ?? []) void sendAnswer(deps, log, service, request)
    return answer.body === undefined ? reply.code(200).send() : reply.send(answer.body)
  })
}

/** A lost answer is not sent again: what the press did is in the timeline. */
async function sendAnswer({ send }: ChatDeps, log: Log, service: ChatService, request: OutboundRequest): Promise<void> {
  try {
    const { status } = await send(request)
    if (status >= 300) log.warn({ service, status }, 'A chat refused an answer')
  } catch (error) {
    log.warn({ service, err: error }, 'The chat service did not accept the reply')
  }
}

export function chatAccountRoutes(app: App, deps: Pick<ChatDeps, 'db' | 'clock'> & RouteDeps): void {
  const { principalOf } = deps

  app.get(
    '/v1/chat-accounts',
    {
      schema: {
        operationId: 'listChatAccounts',
        summary: 'List your chat accounts',
        description: 'Those whose buttons act as the signed-in user in the organization of the request, newest first.',
        tags,
        querystring: ChatAccountListQuery,
        response: { 200: Ref(ChatAccountList) },
      },
      config: { access: 'member' },
    },
    async (request) => listChatAccounts(deps.db, principalOf(request), pageOf(request.query)),
  )

  app.post(
    '/v1/chat-accounts',
    {
      schema: {
        operationId: 'connectChatAccount',
        summary: 'Connect a chat account',
        description:
          'With the code that a chat shows at the first press of a button. From then on the buttons act as the signed-in user.',
        tags,
        body: Ref(ConnectChatAccountBody),
        response: { 201: Ref(ChatAccount) },
      },
      config: { access: 'member', idempotent: false },
    },
    async (request, reply) => reply.code(201).send(await connectChatAccount(deps, callerOf(deps, request), request.body.code)),
  )

  app.delete(
    '/v1/chat-accounts/:id',
    {
      schema: {
        operationId: 'removeChatAccount',
        summary: 'Remove a chat account',
        description: 'Its buttons act no more from the response on.',
        tags,
        params: ChatAccountParams,
        response: { 204: NoContent },
      },
      config: { access: 'member' },
    },
    async (request, reply) =>
      noContent(reply, removeChatAccount(deps, callerOf(deps, request), decodeId('chatAccount', request.params.id))),
  )
}
