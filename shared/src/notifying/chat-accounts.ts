import { type Static, Type } from 'typebox'
import { IdOf } from '../wire/ids.ts'
import { PageAnswer, PageQuery, Ref, Secret, Timestamp } from '../wire/wire.ts'

/** Chats whose buttons act on incidents. */
export const CHAT_SERVICES = ['slack', 'telegram', 'discord'] as const

export const ChatService = Type.Enum([...CHAT_SERVICES], {
  $id: 'ChatService',
  description: 'A chat whose buttons act on incidents',
})
export type ChatService = Static<typeof ChatService>

export const ChatAccount = Type.Object(
  {
    id: IdOf('chatAccount'),
    service: Ref(ChatService),
    name: Type.String({ description: 'as the chat names the person', examples: ['ada'] }),
    created_at: Timestamp,
  },
  { $id: 'ChatAccount', description: 'An account of a chat that acts as the member in this organization' },
)
export type ChatAccount = Static<typeof ChatAccount>

export const ConnectChatAccountBody = Type.Object(
  {
    code: Secret({
      minLength: 1,
      maxLength: 64,
      description: 'that the chat showed at the first press of a button',
      examples: ['3f9a04c1d2'],
    }),
  },
  { $id: 'ConnectChatAccountBody', additionalProperties: false },
)
export type ConnectChatAccountBody = Static<typeof ConnectChatAccountBody>

export const ChatAccountListQuery = Type.Object(PageQuery, { additionalProperties: false })
export const ChatAccountList = Type.Object(
  { chat_accounts: Type.Array(Ref(ChatAccount)), ...PageAnswer },
  { $id: 'ChatAccountList', description: 'A page of the chat accounts of the user in the organization, newest first' },
)
export type ChatAccountList = Static<typeof ChatAccountList>
