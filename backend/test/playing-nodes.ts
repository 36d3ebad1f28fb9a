import { markDistributed } from '../src/platform/db/distributed.ts'
import type { TestBackend } from './harness.ts'

export type NodeState = 'works' | 'hangs' | 'down'

/** Nodes of a Citus, played by a plain server. */
export interface PlayedNodes {
  /** Where the rows of an organization are; otherwise on node 0. */
  assign(organization: number, node: number): Promise<void>
  /** All others work. */
  setState(node: number, state: NodeState): Promise<void>
  /** Number of statements that wait for a node. */
  waiting(): Promise<number>
}

/** As much of the catalog as is read, and a trigger in the place of a node that does not answer or is down. */
const catalogFor = (table: string): string => `
create table pg_dist_placement as select generate_series(1, 1000) as shardid, 0 as groupid;
create function get_shard_id_for_distribution_column(regclass, int4) returns int8 language sql as 'select $2::int8';
create table node_state (groupid int4, state text);
create function reach_node() returns trigger language plpgsql as $$
declare current text := (select state from node_state join pg_dist_placement using (groupid) where shardid = new.organization);
begin
  if current = 'hangs' then perform pg_sleep(600); end if;
  if current = 'down' then raise exception 'connection to the remote node failed' using errcode = '08006'; end if;
  return new;
end $$;
create trigger reach_node before insert on ${table} for each row execute function reach_node();`

/** From now on the backend takes its database for distributed, and inserts into `table` depend on the nodes. */
export async function playNodes({ pool }: TestBackend, table: string): Promise<PlayedNodes> {
  markDistributed(pool.db, true)
  await pool.pg.query(catalogFor(table))
  return {
    assign: async (organization, node) =>
      void (await pool.pg.query('update pg_dist_placement set groupid = $2 where shardid = $1', [organization, node])),
    setState: async (node, state) => {
      await pool.pg.query('delete from node_state')
      await pool.pg.query('insert into node_state values ($1, $2)', [node, state])
    },
    waiting: async () => {
      const waiting = "select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"
      return (await pool.pg.query(waiting)).rowCount ?? 0
    },
  }
}
