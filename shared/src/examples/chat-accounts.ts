import type { ChatAccount, ChatAccountList, ConnectChatAccountBody } from '../notifying/chat-accounts.ts'
import { PAGE } from './common.ts'

const account: ChatAccount = {
  id: 'cha_01m7ynqmvhef3v0qj0h7d9m2cs',
  service: 'slack',
  name: 'ada',
  created_at: '2026-11-21T09:06:55.000Z',
}

export const CHAT_ACCOUNT_EXAMPLES = {
  ChatAccount: { example: account },
  ChatAccountList: { example: { chat_accounts: [account], ...PAGE } satisfies ChatAccountList },
  ConnectChatAccountBody: { example: { code: '3f9a04c1d2' } satisfies ConnectChatAccountBody },
}
