import type { RegisterBody } from '@vedette/shared'
import { sql } from 'kysely'
import { announceChange, type Db, type ServerFacts, type TableRow } from '../../platform/db/index.ts'

/** The surrogate key of a server in the sample tables; undefined across organizations. */
export async function findServerNumber(db: Db, organization: number, id: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('server')
    .select('number')
    .where('organization', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.number
}

/** Of all organizations: the servers whose agents must not read something. */
export const listSourcesOff = (db: Db) =>
  db.selectFrom('server').select(['id', 'sources_off']).where(sql<boolean>`sources_off <> '{}'`).execute()

/** When the oldest server of the installation was registered; undefined without servers. */
export async function firstRegistration(db: Db): Promise<Date | undefined> {
  const row = await db
    .selectFrom('server')
    .select((eb) => eb.fn.min<Date | null>('registered_at').as('first'))
    .executeTakeFirstOrThrow()
  return row.first ?? undefined
}

/** The server of this machine, locked until the transaction ends. */
export function lockServerByMachine(db: Db, organization: number, machineId: string) {
  return db
    .selectFrom('server')
    .select(['id', 'number', 'display_name', 'agent_version'])
    .where('organization', '=', organization)
    .where('machine_id', '=', machineId)
    .forUpdate()
    .executeTakeFirst()
}

/** The id of its server, by which a machine is known. */
export async function findServerOfMachine(db: Db, organization: number, machineId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('server')
    .select('id')
    .where('organization', '=', organization)
    .where('machine_id', '=', machineId)
    .executeTakeFirst()
  return row?.id
}

/** The number of servers of other machines, so that concurrent registrations of one machine do not count against each other. */
export async function countOtherServers(db: Db, organization: number, machineId: string): Promise<number> {
  const row = await db
    .selectFrom('server')
    .select((eb) => eb.fn.countAll<string>().as('total'))
    .where('organization', '=', organization)
    .where('machine_id', '!=', machineId)
    .executeTakeFirstOrThrow()
  return Number(row.total)
}

/** The organization of the server, undefined when it was deleted. */
export async function findOrganizationOfServer(db: Db, id: string): Promise<number | undefined> {
  return (await db.selectFrom('server').select('organization').where('id', '=', id).executeTakeFirst())?.organization
}

export function lockServer(db: Db, organization: number, id: string) {
  return db
    .selectFrom('server')
    .select([
      'id',
      'number',
      'machine_id',
      'hostname',
      'display_name',
      'agent_version',
      'boot_id',
      'former_boot_ids',
      'depends_on',
    ])
    .where('organization', '=', organization)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

const DESCRIPTION_COLUMNS = ['description', 'runbook_url', 'responsible', 'links'] as const

/** What people say of all servers, or of those among these ids. */
export const readServers = (db: Db, organization: number, ids?: readonly string[]) =>
  db
    .selectFrom('server')
    .select([
      'id',
      'hostname',
      'machine_id',
      'display_name',
      'tags',
      'depends_on',
      'sources_off',
      'managed',
      ...DESCRIPTION_COLUMNS,
    ])
    .where('organization', '=', organization)
    .$if(ids !== undefined, (query) => query.where(sql<boolean>`id = any(${ids}::uuid[])`))
    .execute()

export interface ServerName {
  organization: number
  id: string
}

/** Of a server whose host may have rebooted. */
export interface ServerBoots extends ServerName {
  number: number
  hostname: string
  display_name: string | null
  boot_id: string | null
  former_boot_ids: string[]
}

/** Locks those of these servers that are there, in one order: no two transactions that lock several wait for each other. */
export async function lockServers(db: Db, servers: readonly ServerName[]): Promise<ServerBoots[]> {
  const { rows } = await sql<ServerBoots>`
    select server.organization, server.id, server.number, server.hostname, server.display_name, server.boot_id, server.former_boot_ids
    from unnest(${servers.map(({ organization }) => organization)}::int4[], ${servers.map(({ id }) => id)}::uuid[])
      as given (organization, id)
    join server on server.organization = given.organization and server.id = given.id
    order by server.organization, server.id for update of server`.execute(db)
  return rows
}

/** Stores the boots of locked servers. */
export async function updateBoots(
  db: Db,
  servers: readonly Pick<ServerBoots, 'organization' | 'id' | 'boot_id' | 'former_boot_ids'>[],
): Promise<void> {
  if (servers.length === 0) return
  await sql`
    update server set boot_id = given.boot_id, former_boot_ids = array(select jsonb_array_elements_text(given.former))
    from unnest(${servers.map(({ organization }) => organization)}::int4[], ${servers.map(({ id }) => id)}::uuid[],
      ${servers.map((server) => server.boot_id)}::text[],
      ${servers.map((server) => JSON.stringify(server.former_boot_ids))}::jsonb[]) as given (organization, id, boot_id, former)
    where server.organization = given.organization and server.id = given.id`.execute(db)
}

export async function insertServer(
  db: Db,
  organization: number,
  server: { id: string; tokenHash: Buffer; body: RegisterBody; facts: ServerFacts },
  at: Date,
): Promise<void> {
  const { id, tokenHash, body, facts } = server
  const { machine_id, hostname, os, kernel, arch, agent_version } = body
  await db
    .insertInto('server')
    .values({
      organization,
      id,
      machine_id,
      token_hash: tokenHash,
      token_created_at: at,
      boot_id: null,
      former_boot_ids: [],
      hostname,
      display_name: null,
      os,
      kernel,
      arch,
      agent_version,
      tags: body.tags ?? [],
      facts: JSON.stringify(facts),
      registered_at: at,
    })
    .execute()
  await db.insertInto('server_newest').values({ organization, id, created_at: at }).execute()
  await announceChange(db, 'server')
}

export type ServerChange = Partial<
  Omit<
    TableRow<'server'>,
    'organization' | 'id' | 'number' | 'machine_id' | 'facts' | 'depends_on' | 'links' | 'managed' | 'registered_at'
  >
> & {
  /** As JSON. */
  depends_on?: string
  links?: string
}

/** Updates the given columns and merges the given facts; omitted ones stay unchanged. */
export async function updateServer(
  db: Db,
  organization: number,
  id: string,
  change: ServerChange,
  facts: ServerFacts = {},
): Promise<void> {
  await db
    .updateTable('server')
    .set({ ...change, facts: sql`facts || ${JSON.stringify(facts)}::jsonb` })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .execute()
}

export async function deleteServer(db: Db, organization: number, id: string): Promise<void> {
  await db.deleteFrom('server_state').where('organization', '=', organization).where('server_id', '=', id).execute()
  await db.deleteFrom('server').where('organization', '=', organization).where('id', '=', id).execute()
}

export async function insertDeletedMachine(db: Db, organization: number, machineId: string, at: Date): Promise<void> {
  await db
    .insertInto('deleted_machine')
    .values({ organization, machine_id: machineId, deleted_at: at })
    .onConflict((conflict) => conflict.columns(['organization', 'machine_id']).doUpdateSet({ deleted_at: at }))
    .execute()
}

/** When a server of this machine was last deleted, undefined when never. */
export async function findDeletion(db: Db, organization: number, machineId: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('deleted_machine')
    .select('deleted_at')
    .where('organization', '=', organization)
    .where('machine_id', '=', machineId)
    .executeTakeFirst()
  return row?.deleted_at
}

/** Whether the hash is that of the server's current token. */
export async function isCurrentToken(db: Db, organization: number, id: string, hash: Buffer): Promise<boolean> {
  const row = await db
    .selectFrom('server')
    .select('id')
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('token_hash', '=', hash)
    .executeTakeFirst()
  return row !== undefined
}
