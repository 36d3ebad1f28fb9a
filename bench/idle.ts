/**
 * What Vedette costs when nothing happens but its own agent: one JSON line.
 *
 *   npm run bench:idle -- [--seconds 60] [--settle 20]
 *
 * Starts `vedette start` with a new data folder (backend, embedded Postgres, the agent for this host), lets it settle, and looks
 * at the processes twice, `--seconds` apart. Goals: `backend.rssMb` ≤ 200, `backend.cpuPercent` ≤ 2 (of one core). Postgres is
 * all of its processes; its shared memory is counted once, by `pss`. `dataMb` is the data folder at the end: the copy of the
 * programs, the cluster, and of that the write-ahead log.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startBackend } from './backend.ts'
import { cpuOf, cpuOfTree, memoryOf, round, round2, treeOf } from './processes.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, settle: { type: 'string', default: '20' } },
})
const seconds = Number(values.seconds)

const mbOf = (folder: string): number => Number(execFileSync('du', ['-sk', folder], { encoding: 'utf8' }).split('\t')[0]) / 1024

const backend = await startBackend('start')
try {
  // No connection of ours while we look.
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
  const of = (pids: readonly number[]) => {
    const { rss, pss, anonymous } = memoryOf(pids)
    return { rssMb: rss, pssMb: pss, anonymousMb: anonymous }
  }
  const postgresNow = treeOf(postgresPid)
  console.log(
    JSON.stringify({
      seconds,
      backend: { cpuPercent: percent('backend'), ...of([backendPid]) },
      postgres: { cpuPercent: percent('postgres'), processes: postgresNow.length, pssMb: of(postgresNow).pssMb },
      agent: { cpuPercent: percent('agent'), ...of([agentPid]) },
      dataMb: {
        all: round(mbOf(dataDir)),
        programs: round(mbOf(join(dataDir, 'runtime'))),
        cluster: round(mbOf(join(dataDir, 'postgres'))),
        writeAheadLog: round(mbOf(join(dataDir, 'postgres', 'pg_wal'))),
      },
    }),
  )
} finally {
  await backend.stop()
}
