import {
  type ContactMethod,
  type ContactMethodList,
  type CreateContactMethodBody,
  MAX_CONTACT_METHODS,
  toTimestamp,
} from '@vedette/shared'
import { type Actor, auditEntry, recordAudit } from '../../../access/audit/index.ts'
import { findEmail, lockUser, type Principal, tenantOf, userOf } from '../../../access/auth/index.ts'
import { inTransaction, type PageRequest } from '../../../platform/db/index.ts'
import { conflict, invalid, notFound, unauthorized } from '../../../platform/errors.ts'
import { encodeId, newId } from '../../../platform/ids.ts'
import { maskConfig, mergeConfig } from '../channels/config.ts'
import { decryptConfig, encryptConfig } from '../channels/encrypted-config.ts'
import { type ChannelDeps, completeConfig } from '../channels/service.ts'
import { type ChannelRow, insertChannel } from '../channels/store.ts'
import * as store from './store.ts'

/** One page of the caller's contact methods in the organization of the request, newest first. */
export async function listContactMethods(
  deps: ChannelDeps,
  principal: Principal,
  request: PageRequest,
): Promise<ContactMethodList> {
  const { total, rows } = await store.listContacts(deps.db, tenantOf(principal).number, userOf(principal).userId, request)
  return { contact_methods: rows.map((row) => toContactMethod(deps, row)), total, page: request.page, limit: request.limit }
}

/**
 * Adds a way to reach the caller. Throws validation_error, conflict for more than 10, for a second e-mail, and for an e-mail that is
 * not verified.
 */
export async function createContactMethod(
  deps: ChannelDeps,
  actor: Actor<Principal>,
  { type, config: body = {} }: CreateContactMethodBody,
): Promise<ContactMethod> {
  const [{ number }, { userId }] = [tenantOf(actor.principal), userOf(actor.principal)]
  if (type === 'email' && Object.keys(body).length > 0)
    throw invalid({ path: 'config', message: 'must be empty: messages go to the e-mail of your account' })
  const config = type === 'email' ? {} : (await completeConfig(type, mergeConfig({}, body))).config
  return inTransaction(deps.db, async (db) => {
    const at = new Date(deps.clock.now())
    if ((await lockUser(db, userId)) === undefined) throw unauthorized()
    const types = await store.listContactTypes(db, number, userId)
    if (types.length >= MAX_CONTACT_METHODS)
      throw conflict(`You have ${MAX_CONTACT_METHODS} contact methods, the most there may be. Remove one first.`)
    if (type === 'email') {
      if (types.includes(type)) throw conflict('Your e-mail is a contact method already.')
      if (!(await findEmail(db, userId, at))?.email_verified_at) throw conflict('Your e-mail is not verified. Verify it first.')
    }
    const id = newId()
    const base = { id, name: type, type, enabled: true, created_at: at, last_error: null, last_test: null }
    await insertChannel(db, number, { ...base, ...encryptConfig(deps.encrypter, { id, type }, config) }, userId)
    await recordAudit(db, number, actor, auditEntry('contact_method.created', 'channel', id, { type }), at)
    const row = await store.findContact(db, number, userId, id)
    if (!row) throw notFound()
    return toContactMethod(deps, row)
  })
}

/** Throws not_found for an unknown one, or another member's. */
export async function deleteContactMethod(deps: ChannelDeps, actor: Actor<Principal>, id: string): Promise<void> {
  const [{ number }, { userId }] = [tenantOf(actor.principal), userOf(actor.principal)]
  await inTransaction(deps.db, async (db) => {
    await lockUser(db, userId)
    const row = await store.findContact(db, number, userId, id)
    if (!row) throw notFound()
    await store.deleteContact(db, number, id)
    const at = new Date(deps.clock.now())
    await recordAudit(db, number, actor, auditEntry('contact_method.deleted', 'channel', id, { type: row.type }), at)
  })
}

function toContactMethod({ encrypter }: Pick<ChannelDeps, 'encrypter'>, row: ChannelRow): ContactMethod {
  return {
    id: encodeId('channel', row.id),
    type: row.type as ContactMethod['type'],
    config: maskConfig(row.type, decryptConfig(encrypter, row).config, true),
    created_at: toTimestamp(row.created_at.getTime()),
    last_error: row.last_error,
    last_test: row.last_test,
  }
}
