/**
 * What an installation costs that only watches its own host, and hosts that are silent.
 *
 *   npm run bench -- idle [--seconds 120] [--settle 150] [--servers 0]
 *
 * Starts `vedette start` with a new data folder (backend, embedded Postgres, local agent), lets it settle until its jobs have run for
 * the first time, two minutes after the start, and reads the CPU time of the processes twice, `--seconds` apart, and how often their
 * threads woke up, which depends little on other work of the machine. PSS counts the shared memory of Postgres once. With `--servers`
 * so many hosts are in the tables that pushed for the last time two days ago, each with an open incident.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { seedHosts } from './hosts.ts'
import { startBackend } from '../lib/backend.ts'
import { cpuOf, cpuOfTree, memoryOf, round, round2, treeOf, wakeUpsOf } from '../lib/processes.ts'
import { printFigures } from '../lib/result.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    settle: { type: 'string', default: '150' },
    servers: { type: 'string', default: '0' },
  },
})
const [seconds, servers] = [Number(values.seconds), Number(values.servers)]
/** For each silent server and minute. */
const SERVER_MICROSECONDS = 2

const megabytesOf = (folder: string): number =>
  Number(execFileSync('du', ['-sk', folder], { encoding: 'utf8' }).split('\t')[0]) / 1024

/** Makes the hosts silent for two days already, reported, with an incident by the rule of offline servers. */
async function silence(database: pg.Client): Promise<void> {
  await database.query("update server set registered_at = now() - interval '3 days' where machine_id like 'fleet %'")
  await database.query(`
    update server_newest as newest set created_at = registered_at,
      last_push_ms = (date_part('epoch', now() - interval '2 days') * 1000)::bigint
    from server where server.id = newest.id and machine_id like 'fleet %'`)
  await database.query(`
    insert into offline_server (organization, server_id) select organization, id from server where machine_id like 'fleet %'`)
  await database.query(`
    with opened as (
      insert into incident (organization, id, at, rule_id, target_type, target_id, target_name, status, severity, summary, silenced,
        evidence)
      select server.organization, gen_random_uuid(), now(), rule.id, 'server', server.id, hostname, 'open', rule.severity,
        hostname || ' is offline', false, '{}'
      from server join alert_rule as rule on rule.organization = server.organization and rule.target_type = 'server'
        and rule.metric = 'status'
      where machine_id like 'fleet %'
      returning organization, rule_id, target_id, id, at
    )
    insert into open_incident (organization, rule_id, target_id, incident_id, incident_at)
    select organization, rule_id, target_id, id, at from opened`)
  await database.query('vacuum analyze')
}

const backend = await startBackend('start')
try {
  await seedHosts(backend.database, servers)
  await silence(backend.database)
  // The bench's own connection must not count.
  await backend.database.end()
  await sleep(Number(values.settle) * 1_000)
  const { backendPid, postgresPid, dataDir } = backend
  const postgres = new Set(treeOf(postgresPid))
  const agentPid = treeOf(backendPid).find((pid) => pid !== backendPid && !postgres.has(pid))
  if (agentPid === undefined) throw new Error('the local agent does not run')
  const cpu = () => ({ backend: cpuOf(backendPid), postgres: cpuOfTree(postgresPid), agent: cpuOf(agentPid) })
  const wakeUps = () => wakeUpsOf(treeOf(backendPid))
  const [before, wokenBefore] = [cpu(), wakeUps()]
  const startedAt = performance.now()
  await sleep(seconds * 1_000)
  const [after, woken] = [cpu(), wakeUps()]
  const elapsed = (performance.now() - startedAt) / 1_000
  const percent = (name: keyof typeof before) => round2(((after[name] - before[name]) / elapsed) * 100)
  const memory = { backend: memoryOf([backendPid]), postgres: memoryOf(treeOf(postgresPid)), agent: memoryOf([agentPid]) }
  const pss = memory.backend.pss + memory.postgres.pss + memory.agent.pss
  printFigures(
    [
      {
        name: 'CPU of backend, Postgres and agent',
        value: percent('backend') + percent('postgres') + percent('agent'),
        unit: '% of a core',
        goal: { atMost: round2(0.3 + (servers * SERVER_MICROSECONDS) / 60 / 10_000) },
      },
      { name: 'CPU of the backend', value: percent('backend'), unit: '% of a core' },
      { name: 'CPU of Postgres', value: percent('postgres'), unit: '% of a core' },
      { name: 'CPU of the agent', value: percent('agent'), unit: '% of a core' },
      {
        name: 'wake-ups of their threads',
        value: Math.round(((woken - wokenBefore) / elapsed) * 60),
        unit: 'a minute',
        goal: { atMost: 500 },
      },
      { name: 'memory of all three (PSS)', value: pss, unit: 'MB', goal: { atMost: 180 } },
      { name: 'memory of the backend (RSS)', value: memory.backend.rss, unit: 'MB' },
      { name: 'data folder', value: megabytesOf(dataDir), unit: 'MB' },
    ],
    { seconds, memory, writeAheadLogMb: round(megabytesOf(join(dataDir, 'postgres', 'pg_wal'))) },
  )
} finally {
  await backend.stop()
}
