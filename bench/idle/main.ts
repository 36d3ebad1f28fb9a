/**
 * What an installation costs that only watches its own host, and hosts that are silent.
 *
 *   npm run bench -- idle [--seconds 120] [--settle 150] [--servers 0]
 *
 * Starts `vedette start` with a new data folder (backend, embedded Postgres, local agent), lets it settle until its jobs have run for
 * the first time, two minutes after the start, and reads the CPU time of
 * the processes twice, `--seconds` apart. PSS counts the shared memory of Postgres once. With `--servers` so many hosts are in the
 * tables that pushed before and do not any more.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { seedHosts } from '../fleet/hosts.ts'
import { startBackend } from '../lib/backend.ts'
import { cpuOf, cpuOfTree, memoryOf, round, round2, treeOf } from '../lib/processes.ts'
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

const backend = await startBackend('start')
try {
  await seedHosts(backend.database, servers)
  // The bench's own connection must not count.
  await backend.database.end()
  await sleep(Number(values.settle) * 1_000)
  const { backendPid, postgresPid, dataDir } = backend
  const postgres = new Set(treeOf(postgresPid))
  const agentPid = treeOf(backendPid).find((pid) => pid !== backendPid && !postgres.has(pid))
  if (agentPid === undefined) throw new Error('the local agent does not run')
  const cpu = () => ({ backend: cpuOf(backendPid), postgres: cpuOfTree(postgresPid), agent: cpuOf(agentPid) })
  const before = cpu()
  const startedAt = performance.now()
  await sleep(seconds * 1_000)
  const after = cpu()
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
      { name: 'memory of all three (PSS)', value: pss, unit: 'MB', goal: { atMost: 180 } },
      { name: 'memory of the backend (RSS)', value: memory.backend.rss, unit: 'MB' },
      { name: 'data folder', value: megabytesOf(dataDir), unit: 'MB' },
    ],
    { seconds, memory, writeAheadLogMb: round(megabytesOf(join(dataDir, 'postgres', 'pg_wal'))) },
  )
} finally {
  await backend.stop()
}
