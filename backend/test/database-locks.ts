/** `pg_locks` of the own database alone: clones of one template have the same numbers for their tables. */
export const OWN_LOCKS = `(
  select * from pg_locks where database = (select oid from pg_database where datname = current_database())
) as own_locks`
