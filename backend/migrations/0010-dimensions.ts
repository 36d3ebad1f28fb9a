import { type Kysely, sql } from 'kysely'

/** History of filesystems and interfaces, and pushes that do not fit into a page. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // A push may have a thousand samples: such rows go out of line, as they are. Rows below 2 kB, which is nearly all, stay as they were.
  'alter table metric_push alter column data set storage external',

  // Which mount or interface of a server has which slot, and by it which fields in the blocks. A slot is never given again.
  `create table metric_dimension (
    organization integer not null,
    server integer not null,
    kind text not null check (kind in ('mount', 'interface')),
    slot smallint not null check (slot between 0 and 63),
    name text not null,
    primary key (organization, server, kind, slot),
    unique (organization, server, kind, name)
  )`,
]
