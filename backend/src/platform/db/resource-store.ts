import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { type PageRequest, readPage } from './page.ts'
import type { Db } from './pool.ts'
import type { Database, TableRow } from './schema.ts'
import type { Instant } from './schema/columns.ts'

/** What the table of each resource has. */
interface ResourceTable {
  organization: number
  id: string
  created_at: Instant
  updated_at: Instant
}

type TableOfResource = {
  [Table in keyof Database]: Database[Table] extends ResourceTable ? Table : never
}[keyof Database]

type FixedColumn = 'organization' | 'id' | 'created_at' | 'updated_at'

interface ResourceReads<Row> {
  /** Undefined across organizations. */
  find: (db: Db, organization: number, id: string) => Promise<Row | undefined>
  /** Locked until the transaction ends. */
  lock: (db: Db, organization: number, id: string) => Promise<Row | undefined>
  /** One page, newest first, and the total. */
  list: (db: Db, organization: number, page: PageRequest) => Promise<{ total: number; rows: Row[] }>
}

interface ResourceStore<Table extends TableOfResource, Row> extends ResourceReads<Row> {
  /** Selects the rows of an organization. */
  rowsOf: (db: Db, organization: number) => SelectQueryBuilder<Database, Table, Row>
  insert: (db: Db, organization: number, resource: Omit<Row, FixedColumn> & { id: string }, at: Date) => Promise<void>
  /** Changes the columns that are given. */
  update: (
    db: Db,
    organization: number,
    id: string,
    change: Partial<Omit<TableRow<Table>, FixedColumn>>,
    at: Date,
  ) => Promise<void>
  remove: (db: Db, organization: number, id: string) => Promise<void>
}

/** How a resource is read by its id, and listed. `rowsOf` selects the rows of an organization. */
export function createResourceReads<Table extends keyof Database, Row>(
  rowsOf: (db: Db, organization: number) => SelectQueryBuilder<Database, Table, Row>,
): ResourceReads<Row> {
  const byId = (db: Db, organization: number, id: string) => rowsOf(db, organization).where(sql.ref('id'), '=', id)
  return {
    find: (...key) => byId(...key).executeTakeFirst(),
    lock: (...key) =>
      byId(...key)
        .forUpdate()
        .executeTakeFirst(),
    list: (db, organization, page) => readPage(db, rowsOf(db, organization), sql`created_at desc, id desc`, page),
  }
}

/** The query builder does not follow a table that is a type parameter; what all tables of resources have is enough here. */
const anyTable = (db: Db) => db as unknown as Kysely<Record<string, ResourceTable>>

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
  const rowsOf = (db: Db, organization: number) => {
    const rows = anyTable(db)
      .selectFrom(name)
      .select(columns as never)
      .where('organization', '=', organization)
    return rows as unknown as SelectQueryBuilder<Database, Table, Pick<TableRow<Table>, Column>>
  }
  const isJson = (column: string, value: unknown) => (json as readonly string[]).includes(column) && value !== undefined
  const stored = (values: object): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(values).map(([column, value]) => [column, isJson(column, value) ? JSON.stringify(value) : value]),
    )
  return {
    rowsOf,
    ...createResourceReads(rowsOf),
    async insert(db, organization, resource, at) {
      const row = { ...stored(resource), id: resource.id, organization, created_at: at, updated_at: at }
      await anyTable(db).insertInto(name).values(row).execute()
    },
    async update(db, organization, id, change, at) {
      const columns = { ...stored(change), updated_at: at }
      await anyTable(db).updateTable(name).set(columns).where('organization', '=', organization).where('id', '=', id).execute()
    },
    async remove(db, organization, id) {
      await anyTable(db).deleteFrom(name).where('organization', '=', organization).where('id', '=', id).execute()
    },
  }
}
