import { hash } from 'node:crypto'
import { type ChatAccount, type ChatAccountList, type ChatService, MINUTE_MS, toTimestamp } from '@vedette/shared'
import { type Actor, auditEntry, recordAudit } from '../../access/audit/index.ts'
import { languageOfOrganization, type Principal, type Tenant, tenantOf, userOf } from '../../access/auth/index.ts'
import { decryptConfig, type OutboundRequest, type OutboundResponse } from '../notifications/index.ts'
import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import { randomBytes } from '../../platform/crypto/random.ts'
import { type Db, inTransaction, type PageRequest } from '../../platform/db/index.ts'
import { invalid, notFound, unauthorized } from '../../platform/errors.ts'
import { encodeId, newId, parseId } from '../../platform/ids.ts'
import { translatePart } from '../../platform/language/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { actAs, type PressOrigin, refused, type SignedPress } from './act.ts'
import { CHAT_KINDS, type ChatAnswer, type ChatRequest, type Outcome, PONG_BODY, type Press } from './services.ts'
import * as store from './store.ts'

export interface ChatDeps {
  db: Db
  clock: Clock
  /** Of the secrets of channels. */
  encrypter: Encrypter
  publicUrl(): string
  send(request: OutboundRequest): Promise<OutboundResponse>
}

const CODE_MS = 10 * MINUTE_MS
/** 40 random bits that live for ten minutes. */
const CODE_BYTES = 5

/**
 * What came of a request of a chat: the answer for the service. Throws unauthorized, with one message, for a channel that is unknown,
 * disabled or without buttons, and for what the service did not send.
 */
export async function handleChat(
  deps: ChatDeps,
  { service, channelId, ip }: { service: ChatService; channelId: string; ip: string },
  request: ChatRequest,
): Promise<ChatAnswer> {
  const id = parseId('channel', channelId)
  const channel = id === undefined ? undefined : await store.findChannel(deps.db, id, service)
  const kind = CHAT_KINDS[service]
  const { config } = channel ? decryptConfig(deps.encrypter, channel) : { config: {} }
  if (!channel || !kind.isGenuine(config, request, deps.clock.now())) throw unauthorized('The request is not signed by the chat.')
  const press = readPress(() => kind.read(request))
  if (press === 'pong') return { body: PONG_BODY }
  if (!press) return { body: undefined }
  const tenant = { number: channel.number, id: channel.organization_id }
  const credential = hash('sha256', kind.credentialOf(config) ?? '', 'buffer')
  const user = { ...press.user, credential }
  const outcome = await actOn(deps, tenant, { ...press, user }, { config, ip })
  const text = translatePart(outcome.text, await languageOfOrganization(deps.db, tenant.number))
  return kind.answer(config, press, { ...outcome, text })
}

function readPress(read: () => Press | 'pong' | undefined): Press | 'pong' | undefined {
  try {
    return read()
  } catch {
    throw invalid({ path: '', message: 'is not what the chat sends for the press of a button' })
  }
}

/** Acts where the person is connected, else offers a code. */
async function actOn(deps: ChatDeps, tenant: Tenant, press: SignedPress, origin: PressOrigin): Promise<Outcome> {
  const { db } = deps
  const member = await store.findMember(db, tenant.number, press.user)
  if (member) return actAs(deps, tenant, member, press, origin)
  if (await store.isConnected(db, tenant.number, press.user))
    return refused('The organization does not let you act on its incidents now.')
  return refused(await offerCode(deps, tenant.number, press))
}

async function offerCode({ db, clock, publicUrl }: ChatDeps, organization: number, { user }: SignedPress): Promise<string> {
  const nowMs = clock.now()
  const code = randomBytes(CODE_BYTES).toString('hex')
  const row = { id: newId(), hash: hashCode(code), expiresAt: new Date(nowMs + CODE_MS), at: new Date(nowMs) }
  await store.putCode(db, organization, user, row)
  return `Who are you? Enter ${code} at ${publicUrl()}/settings/profile within 10 minutes, then press again.`
}

/** Spaces, dashes and capitals do not count. */
const hashCode = (code: string): Buffer => hash('sha256', code.toLowerCase().replaceAll(/[\s-]/g, ''), 'buffer')

const toAccount = ({ id, service, name, created_at: at }: store.AccountRow): ChatAccount => ({
  id: encodeId('chatAccount', id),
  service,
  name,
  created_at: toTimestamp(at.getTime()),
})

/** The caller's own in the organization, newest first. */
export async function listChatAccounts(db: Db, principal: Principal, { page, limit }: PageRequest): Promise<ChatAccountList> {
  const { total, rows } = await store.listAccounts(db, tenantOf(principal).number, userOf(principal).userId, { page, limit })
  return { chat_accounts: rows.map(toAccount), total, page, limit }
}

/** Connects the person whom a chat showed this code. Throws validation_error for a code that is unknown, used or too old. */
export async function connectChatAccount(
  { db, clock }: Pick<ChatDeps, 'db' | 'clock'>,
  actor: Actor<Principal>,
  code: string,
): Promise<ChatAccount> {
  const { number } = tenantOf(actor.principal)
  const at = new Date(clock.now())
  return inTransaction(db, async (transaction) => {
    const row = await store.takeCode(transaction, number, hashCode(code), userOf(actor.principal).userId, at)
    if (!row) throw invalid({ path: 'code', message: 'is unknown, was used or is older than 10 minutes: press the button again' })
    const details = { service: row.service, name: row.name }
    await recordAudit(transaction, number, actor, auditEntry('chat_account.connected', 'chatAccount', row.id, details), at)
    return toAccount(row)
  })
}

/** Throws not_found for what is not the caller's. */
export async function removeChatAccount(
  { db, clock }: Pick<ChatDeps, 'db' | 'clock'>,
  actor: Actor<Principal>,
  id: string,
): Promise<void> {
  const { number } = tenantOf(actor.principal)
  await inTransaction(db, async (transaction) => {
    const row = await store.deleteAccount(transaction, number, userOf(actor.principal).userId, id)
    if (!row) throw notFound()
    const details = { service: row.service, name: row.name }
    const entry = auditEntry('chat_account.removed', 'chatAccount', id, details)
    await recordAudit(transaction, number, actor, entry, new Date(clock.now()))
  })
}
