import { SCOPES, toTimestamp } from '@vedette/shared'
import { createApiKey } from '../../access/api-keys/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { encodeId } from '../../platform/ids.ts'
import { parseInstant } from '../../platform/time/instant.ts'
import { type Call, oneOf, requireOption, type Task, UsageError } from './command.ts'
import { withDatabase } from './database.ts'
import { findOrganization } from './find-organization.ts'

const NAME_MAX_LENGTH = 200

export const keyCreate: Task = {
  name: 'key create',
  summary: 'create an API key and print it once',
  options: {
    name: { type: 'string', value: 'NAME', help: 'what the key is for' },
    scopes: { type: 'string', value: 'SCOPES', help: `comma-separated: ${SCOPES.join(', ')}` },
    organization: { type: 'string', value: 'org_…', help: 'the organization of the key; optional if there is only one' },
    'expires-at': { type: 'string', value: 'INSTANT', help: 'as 2026-11-20T18:00:00Z; by default the key does not expire' },
  },
  run: (call, context) => {
    const name = requireOption(call, 'name')
    if (name.length > NAME_MAX_LENGTH) throw new UsageError(`--name is longer than ${NAME_MAX_LENGTH} characters`)
    const scopes = [...new Set(requireOption(call, 'scopes').split(','))].map((scope) => oneOf('--scopes', scope.trim(), SCOPES))
    const expiresAt = readEnd(call, context.clock.now())
    return withDatabase(context, async (db) => {
      const { organization: givenOrganization } = call.options
      const { number, id: organizationId } = await findOrganization(db, givenOrganization as string | undefined)
      const input = { name, scopes, createdBy: null, expiresAt }
      const { id, secret } = await inTransaction(db, (transaction) => createApiKey(transaction, context.clock, number, input))
      const json = {
        id: encodeId('apiKey', id),
        organization_id: encodeId('organization', organizationId),
        name,
        scopes,
        expires_at: expiresAt && toTimestamp(expiresAt.getTime()),
        key: secret,
      }
      return { json, text: secret }
    })
  },
}

function readEnd({ options }: Call, nowMs: number): Date | null {
  const text = options['expires-at']
  if (text === undefined) return null
  const ms = parseInstant(text)
  if (ms === undefined || ms <= nowMs)
    throw new UsageError('--expires-at must be an instant in the future, as 2026-11-20T18:00:00Z')
  return new Date(ms)
}
