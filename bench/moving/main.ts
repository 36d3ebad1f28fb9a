/**
 * A large account of another on-call tool, planned over the API.
 *
 *   npm run bench -- moving [--schedules 1200] [--people 2800] [--rounds 3]
 *
 * `vedette serve` runs as the launcher starts it, on an embedded Postgres of its own, with --people members. `vedette migrate-from
 * opsgenie` reads a folder with as many people, of ten rules of notification each, --schedules schedules of two rotations, and a policy
 * for each schedule, and proposes the change set. The median of --rounds counts.
 *
 * Goals: 20 s and 300 MB of the command.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { PROGRAMS } from '../../scripts/launch/programs.mjs'
import { benchEnvironment, post, signIn, startBackend } from '../lib/backend.ts'
import { ROOT } from '../lib/child.ts'
import { median, round } from '../lib/processes.ts'
import { printFigures } from '../lib/result.ts'
import { tenantOf } from './tenant.ts'

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '1200' },
    people: { type: 'string', default: '2800' },
    rounds: { type: 'string', default: '3' },
  },
})
const [schedules, people, rounds] = [values.schedules, values.people, values.rounds].map(Number) as [number, number, number]

const folder = mkdtempSync(join(tmpdir(), 'vedette-moving-'))
for (const [path, content] of Object.entries(tenantOf({ schedules, people }))) {
  const file = join(folder, 'opsgenie', path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(content))
}

interface Planned {
  seconds: number
  megabytes: number
  report: { source: { kind: string }; fidelity: string }[]
}

const backend = await startBackend('serve', [], { VEDETTE_LOCAL_AGENT: 'off' })

/** The most memory that a process had so far; undefined once it has ended. */
function peakOf(pid: number): number | undefined {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024
  } catch {
    return undefined
  }
}

async function plan(keyFile: string): Promise<Planned> {
  const { argv } = PROGRAMS.vedette(['migrate-from', 'opsgenie', join(folder, 'opsgenie'), '--json'])
  const child = spawn(process.execPath, argv, {
    cwd: ROOT,
    env: { ...benchEnvironment(backend.dataDir), VEDETTE_URL: backend.url, VEDETTE_API_KEY_FILE: keyFile },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const startedMs = performance.now()
  const said = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (said.out += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said.err += chunk))
  let megabytes = 0
  const watching = setInterval(() => {
    megabytes = peakOf(child.pid as number) ?? megabytes
  }, 20)
  await once(child, 'close')
  clearInterval(watching)
  const seconds = (performance.now() - startedMs) / 1000
  if (said.out === '') throw new Error(said.err)
  const { report } = JSON.parse(said.out) as { report: Planned['report'] }
  return { seconds, megabytes, report }
}

try {
  const headers = { authorization: `Bearer ${await signIn(backend.url)}` }
  await backend.database.query(
    `with made as (
      insert into app_user (id, email, name, password_hash, password_changed_at, created_at)
      select gen_random_uuid(), 'person-' || n || '@example.com', 'Person ' || n, '', now(), now()
      from generate_series(0, $1::int - 1) as n returning id
    )
    insert into membership (organization, user_id, role, joined_at)
    select (select min(number) from organization), id, 'member', now() from made`,
    [people],
  )
  const { key } = (await post(`${backend.url}/v1/api-keys`, headers, {
    name: 'moving',
    scopes: ['read', 'write', 'admin'],
  })) as { key: string }
  const keyFile = join(folder, 'key')
  writeFileSync(keyFile, `${key}\n`)
  const planned: Planned[] = []
  for (let index = 0; index < rounds; index += 1) planned.push(await plan(keyFile))
  const counts = Map.groupBy(planned[0]?.report ?? [], ({ source, fidelity }) => `${source.kind} ${fidelity}`)
  printFigures(
    [
      {
        name: `${schedules.toLocaleString('en-US')} schedules and ${people.toLocaleString('en-US')} people: planned`,
        value: median(planned.map((one) => one.seconds)),
        unit: 's',
        goal: { atMost: 20 },
      },
      { name: 'memory of the command', value: median(planned.map((one) => one.megabytes)), unit: 'MB', goal: { atMost: 300 } },
    ],
    {
      seconds: planned.map((one) => round(one.seconds)),
      report: Object.fromEntries([...counts].map(([name, rows]) => [name, rows.length])),
    },
  )
} finally {
  await backend.stop()
  rmSync(folder, { recursive: true })
}
