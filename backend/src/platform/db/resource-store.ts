import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { type PageRequest, readPage } from './page.ts'
import type { Db } from './pool.ts'
import type { Database, TableRow } from './schema.ts'
import { type DeletedColumns, type Instant, RESTORABLE_TABLES, type RestorableTable } from './schema/columns.ts'

/** What the table of each resource has. */
interface ResourceTable extends DeletedColumns {
  organization: number
  id: string
  name: string
  created_at: Instant
  updated_at: Instant
}

type TableOfResource = {
  [Table in RestorableTable]: Database[Table] extends ResourceTable ? Table : never
}[RestorableTable]

/** Set apart from the others; `managed` by `setManaged`. */
type FixedColumn = 'organization' | 'id' | 'created_at' | 'updated_at' | 'managed'

/** Tables of resources that the configuration has. */
export type ManagedTable = {
  [Table in keyof Database]: Database[Table] extends { managed: unknown } ? Table : never
}[keyof Database]

/** Says where a resource is managed; null: by hand. */
export async function setManaged(
  db: Db,
  table: ManagedTable,
  organization: number,
  managed: ReadonlyMap<string, object | null>,
): Promise<void> {
  if (managed.size === 0) return
  const values = JSON.stringify([...managed].map(([id, value]) => ({ id, managed: value })))
  await sql`
    update ${sql.table(table)} as resource set managed = nullif(given.managed, 'null'::jsonb)
    from jsonb_to_recordset(${values}::jsonb) as given (id uuid, managed jsonb)
    where resource.organization = ${organization} and resource.id = given.id`.execute(db)
}

export interface DeletedRow {
  id: string
  name: string
  deleted_at: Date
}

/** The deleted rows of a resource. `since`: the first instant of whose deletions some can be restored. */
export interface DeletedResources<Row = unknown> {
  table: RestorableTable
  /** One page, the last deleted first, and the total. */
  list: (db: Db, organization: number, since: Date, page: PageRequest) => Promise<{ total: number; rows: DeletedRow[] }>
  /** Locked until the transaction ends; undefined where it is not deleted. */
  lock: (db: Db, organization: number, id: string, since: Date) => Promise<(Row & { deleted_references: unknown }) | undefined>
  unmark: (db: Db, organization: number, id: string, at: Date) => Promise<void>
}

interface ResourceRows<Table extends keyof Database, Row> {
  /** Selects the rows of an organization that are not deleted, as the other functions do. */
  rowsOf: (db: Db, organization: number) => SelectQueryBuilder<Database, Table, Row>
  /** Undefined across organizations. */
  find: (db: Db, organization: number, id: string) => Promise<Row | undefined>
  /** Locked until the transaction ends. */
  lock: (db: Db, organization: number, id: string) => Promise<Row | undefined>
  /** One page, newest first, and the total. */
  list: (db: Db, organization: number, page: PageRequest) => Promise<{ total: number; rows: Row[] }>
  /** All, or those with these ids. */
  readAll: (db: Db, organization: number, ids?: readonly string[]) => Promise<Row[]>
  /** Marks it as deleted. `references`: where others named it. */
  remove: (db: Db, organization: number, id: string, at: Date, references?: object) => Promise<void>
  deleted: DeletedResources<Row>
}

interface ResourceStore<Table extends TableOfResource, Row> extends ResourceRows<Table, Row> {
  insert: (db: Db, organization: number, resource: Omit<Row, FixedColumn> & { id: string }, at: Date) => Promise<void>
  /** Changes the columns that are given. */
  update: (
    db: Db,
    organization: number,
    id: string,
    change: Partial<Omit<TableRow<Table>, FixedColumn | keyof DeletedColumns>>,
    at: Date,
  ) => Promise<void>
}

/** The query builder does not follow a table that is a type parameter; what all tables of resources have is enough here. */
const anyTable = (db: Db) => db as unknown as Kysely<Record<string, ResourceTable>>

const DELETED_AT = sql.ref('deleted_at')

/** How a resource is read by its id, listed, deleted and restored. `allOf` selects its rows in an organization, the deleted ones too. */
export function createResourceRows<Table extends RestorableTable, Row>(
  table: Table,
  allOf: (db: Db, organization: number) => SelectQueryBuilder<Database, Table, Row>,
): ResourceRows<Table, Row> {
  const rowsOf = (db: Db, organization: number) => allOf(db, organization).where(DELETED_AT, 'is', null)
  const byId = (db: Db, organization: number, id: string) => rowsOf(db, organization).where(sql.ref('id'), '=', id)
  return {
    rowsOf,
    find: (...key) => byId(...key).executeTakeFirst(),
    lock: (...key) =>
      byId(...key)
        .forUpdate()
        .executeTakeFirst(),
    list: (db, organization, page) => readPage(db, rowsOf(db, organization), sql`created_at desc, id desc`, page),
    readAll: (db, organization, ids) =>
      rowsOf(db, organization)
        .$if(ids !== undefined, (query) => query.where(sql.ref('id'), '=', sql`any(${ids}::uuid[])`))
        .execute(),
    remove: async (db, organization, id, at, references) => {
      await anyTable(db)
        .updateTable(table as string)
        .set({ deleted_at: at, deleted_references: references ? JSON.stringify(references) : null })
        .where('organization', '=', organization)
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .execute()
    },
    deleted: deletedOf(table, allOf),
  }
}

function deletedOf<Table extends RestorableTable, Row>(
  table: Table,
  allOf: (db: Db, organization: number) => SelectQueryBuilder<Database, Table, Row>,
): DeletedResources<Row> {
  const deletedSince = (db: Db, organization: number, since: Date) => allOf(db, organization).where(DELETED_AT, '>', since)
  return {
    table,
    list: async (db, organization, since, page) => {
      const columns = [sql<string>`id`.as('id'), sql<string>`name`.as('name'), sql<Date>`deleted_at`.as('deleted_at')] as const
      const query = deletedSince(db, organization, since).clearSelect().select(columns)
      return readPage(db, query, sql`deleted_at desc, id desc`, page)
    },
    lock: (db, organization, id, since) =>
      deletedSince(db, organization, since)
        .select(sql`deleted_references`.as('deleted_references'))
        .where(sql.ref('id'), '=', id)
        .forUpdate()
        .executeTakeFirst(),
    unmark: async (db, organization, id, at) => {
      await anyTable(db)
        .updateTable(table as string)
        // A channel does not say when it was changed.
        .set({ deleted_at: null, deleted_references: null, ...(table !== 'channel' && { updated_at: at }) })
        .where('organization', '=', organization)
        .where('id', '=', id)
        .execute()
    },
  }
}

const REMOVED_AT_ONCE = 100

/**
 * Removes for good what was deleted before an instant, with all that has a foreign key to it. What is being restored stays; several
 * instances may run it at once.
 */
export async function removeDeletedBefore(db: Db, before: Date): Promise<void> {
  for (const table of RESTORABLE_TABLES)
    for (;;) {
      const { numAffectedRows = 0n } = await sql`
        delete from ${sql.table(table)} where (organization, id) in (
          select organization, id from ${sql.table(table)} where deleted_at < ${before}
          order by deleted_at limit ${REMOVED_AT_ONCE} for update skip locked
        )`.execute(db)
      if (numAffectedRows < REMOVED_AT_ONCE) break
    }
}

/**
 * The statements of a resource whose table has its rows and no others. `columns` are those that are read. `json` are the jsonb ones
 * among them that may be a list: the driver would send it as an array of SQL.
 */
export function createResourceStore<Table extends TableOfResource, Column extends keyof TableRow<Table> & string>(
  table: Table,
  columns: readonly Column[],
  json: readonly NoInfer<Column>[] = [],
): ResourceStore<Table, Pick<TableRow<Table>, Column>> {
  const name: string = table
  const isJson = (column: string, value: unknown) => (json as readonly string[]).includes(column) && value !== undefined
  const stored = (values: object): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(values).map(([column, value]) => [column, isJson(column, value) ? JSON.stringify(value) : value]),
    )
  const reads = createResourceRows(table, (db, organization) => {
    const rows = anyTable(db)
      .selectFrom(name)
      .select(columns as never)
      .where('organization', '=', organization)
    return rows as unknown as SelectQueryBuilder<Database, Table, Pick<TableRow<Table>, Column>>
  })
  return {
    ...reads,
    async insert(db, organization, resource, at) {
      const row = { ...stored(resource), id: resource.id, organization, created_at: at, updated_at: at }
      await anyTable(db)
        .insertInto(name)
        .values(row as never)
        .execute()
    },
    async update(db, organization, id, change, at) {
      const columns = { ...stored(change), updated_at: at }
      await anyTable(db)
        .updateTable(name)
        .set(columns)
        .where('organization', '=', organization)
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .execute()
    },
  }
}
