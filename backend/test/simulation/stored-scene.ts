import type pg from 'pg'

/** What the tables hold before each run, and how it comes back. */
export interface StoredScene {
  restore(): Promise<void>
}

/**
 * Keeps a copy of all rows, and lets no autovacuum work on the tables: when it comes is for no seed to say. A run begins with
 * tables that were emptied and vacuumed, so that rows stand in the same places each time and reads without an order give the same.
 */
export async function storeScene(client: pg.Pool): Promise<StoredScene> {
  const query = async <Row extends object>(text: string) => (await client.query<Row>(text)).rows
  const tables = inOrder(
    (await query<{ name: string }>(TABLES)).map(({ name }) => name),
    await query<Reference>(REFERENCES),
  )
  for (const name of tables) await query(`alter table ${name} set (autovacuum_enabled = off)`)
  await query('create schema scene')
  const kept: string[] = []
  for (const name of tables) {
    const [found] = await query<{ n: number }>(`select count(*)::int as n from ${name}`)
    if (!found?.n) continue
    kept.push(name)
    await query(`create table scene.${name} as select * from ${name}`)
  }
  const columns = new Map<string, string>()
  for (const name of kept) columns.set(name, (await query<{ names: string }>(COLUMNS.replace('$1', `'${name}'`)))[0]?.names ?? '')
  const sequences = await query<{ name: string; value: number }>(SEQUENCES)
  await query('vacuum')
  const resetSequences = sequences.map(({ name, value }) => `setval('${name}', ${value}, true)`)
  const fill = kept.map(
    (name) => `insert into ${name} (${columns.get(name)}) overriding system value select ${columns.get(name)} from scene.${name}`,
  )
  return {
    restore: async () => {
      const found = new Set((await query<{ name: string }>(USED)).map(({ name }) => name))
      const used = tables.filter((name) => found.has(name))
      await query(
        used
          .toReversed()
          .map((name) => `delete from ${name}`)
          .join('; '),
      )
      await query(`vacuum (index_cleanup on, truncate on) ${used.join(', ')}`)
      await query([...fill, `select ${resetSequences.join(', ')}`].join('; '))
    },
  }
}

interface Reference {
  child: string
  parent: string
}

/** What others refer to comes first. */
function inOrder(tables: readonly string[], references: readonly Reference[]): string[] {
  const ordered = new Set<string>()
  const add = (name: string): void => {
    if (ordered.has(name)) return
    for (const { child, parent } of references) if (child === name && parent !== name) add(parent)
    ordered.add(name)
  }
  for (const name of tables) add(name)
  return [...ordered].filter((name) => tables.includes(name))
}

const TABLES = `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
  and relname not like 'kysely%' order by relname`
const USED = `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
  and relname not like 'kysely%' and pg_relation_size(oid) > 0 order by relname`
const REFERENCES = `select conrelid::regclass::text as child, confrelid::regclass::text as parent from pg_constraint where contype = 'f'`
const COLUMNS = `select string_agg(quote_ident(attname), ', ' order by attnum) as names from pg_attribute
  where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`
const SEQUENCES = `select 'public.' || quote_ident(sequencename) as name, coalesce(last_value, start_value) as value from pg_sequences
  where schemaname = 'public' order by sequencename`
