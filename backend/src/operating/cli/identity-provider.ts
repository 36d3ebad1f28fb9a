import { oneLine } from '@vedette/shared'
import { createPolicyConnect } from '../../monitoring/checks/index.ts'
import {
  createProviderFetch,
  examineProvider,
  type IdentityProviderRow,
  listAllProviders,
  PROVIDER_LIMITS,
} from '../../access/identity-providers/index.ts'
import { createRequester } from '../../notifying/notifications/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { encodeId, parseId } from '../../platform/ids.ts'
import { type Call, requireOption, type Task } from './command.ts'
import { readDatabase, readSettings } from './database.ts'
import { listAllOrganizations } from './operator-store.ts'

const ID = { id: { type: 'string', value: 'ID', help: 'id of the provider: idp_…' } } as const

export const identityProviderList: Task = {
  name: 'identity-provider list',
  summary: 'list the identity providers of all organizations',
  run: (_call, context) =>
    readDatabase(context, async (db) => {
      const providers = await readAll(db)
      const lines = providers.map(
        ({ id, kind, enabled, issuer, name, organization }) =>
          `${id}  ${kind.padEnd(6)}  ${enabled ? 'enabled ' : 'disabled'}  ${issuer}  ${oneLine(name)} (${oneLine(organization.name)})`,
      )
      return { json: { identity_providers: providers }, text: lines.join('\n') || 'no identity provider yet' }
    }),
}

export const identityProviderShow: Task = {
  name: 'identity-provider show',
  summary: 'show an identity provider, without its secret',
  options: ID,
  run: (call, context) =>
    readDatabase(context, async (db) => {
      const provider = (await readAll(db)).find(({ id }) => id === requireOption(call, 'id')) ?? missing(call)
      const { organization, role_mapping: mapping, managed, ...rest } = provider
      const fields = {
        ...rest,
        organization: `${organization.id} ${organization.name}`,
        managed: managed && `${managed.owner} ${managed.ref}`,
        role_mapping: mapping.map(({ value, role }) => `${value} = ${role}`).join(', '),
      }
      const lines = Object.entries(fields).map(([name, value]) => `${name.padEnd(18)}  ${oneLine(String(value ?? ''))}`)
      return { json: { ...provider }, text: lines.join('\n') }
    }),
}

export const identityProviderTest: Task = {
  name: 'identity-provider test',
  summary: 'read what an identity provider publishes, as a sign-in does',
  options: ID,
  run: (call, context) =>
    readDatabase(context, async (db) => {
      const uuid = parseId('identityProvider', requireOption(call, 'id'))
      const provider = (await listAllProviders(db)).find(({ id }) => id === uuid) ?? missing(call)
      const { clock } = context
      const connect = createPolicyConnect({ db, clock }, readSettings(context).allowPrivateTargets)
      const fetch = createProviderFetch(createRequester(connect, new AbortController().signal, PROVIDER_LIMITS))
      const examination = await examineProvider({ fetch, clock }, provider)
      const { is_well: isWell, fault, ...offered } = examination
      const lines = Object.entries(offered).map(([name, value]) => `${name.padEnd(24)}  ${oneLine(String(value ?? 'none'))}`)
      return {
        json: { ...examination },
        text: isWell ? lines.join('\n') : `FAULT ${offered.issuer}: ${oneLine(fault ?? '')}`,
        isFailure: !isWell,
      }
    }),
}

function missing(call: Call): never {
  throw new Error(`There is no identity provider ${requireOption(call, 'id')} ("vedette identity-provider list" lists them).`)
}

async function readAll(db: Db) {
  const organizations = new Map((await listAllOrganizations(db)).map((organization) => [organization.number, organization]))
  return (await listAllProviders(db)).map((row) => toOutput(row, organizations.get(row.organization)))
}

function toOutput(
  {
    secret_encrypted: _secret,
    organization: _number,
    created_at: _created,
    updated_at: _updated,
    domains_check_at: _due,
    domain_proofs: proofs,
    id,
    ...row
  }: IdentityProviderRow,
  organization: { id: string; name: string } | undefined,
) {
  return {
    id: encodeId('identityProvider', id),
    organization: { id: organization ? encodeId('organization', organization.id) : '', name: organization?.name ?? '' },
    ...row,
    proved_domains: row.email_domains.filter((domain) => proofs[domain] !== undefined),
  }
}
