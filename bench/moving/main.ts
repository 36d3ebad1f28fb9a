/**
 * A large account of another on-call tool, planned over the API, and who is on duty in a smaller one, compared.
 *
 *   npm run bench -- moving [--schedules 1200] [--people 2800] [--compared 100] [--rounds 3]
 *
 * `vedette serve` runs as the launcher starts it, on an embedded Postgres of its own, with --people members. `vedette migrate-from
 * opsgenie` reads a folder with as many people, of ten rules of notification each, --schedules schedules of two rotations, and a policy
 * for each schedule, and proposes the change set. Then the plan of --compared schedules is applied, and `vedette oncall-diff` compares
 * 90 days of them with timelines that say the same. The median of --rounds counts.
 *
 * Goals: 20 s and 300 MB of the plan, 5 s of the comparison.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { DAY_MS, type ScheduleList, type ShiftList } from '../../shared/src/index.ts'
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
    compared: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '3' },
  },
})
const [schedules, people, compared, rounds] = [values.schedules, values.people, values.compared, values.rounds].map(Number) as [
  number,
  number,
  number,
  number,
]

const folder = mkdtempSync(join(tmpdir(), 'vedette-moving-'))
const [LARGE, COMPARED] = ['opsgenie', 'compared'].map((name) => join(folder, name)) as [string, string]
const DAYS = 90

function save(account: string, files: Readonly<Record<string, unknown>>): void {
  for (const [path, content] of Object.entries(files)) {
    const file = join(account, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify(content))
  }
}
save(LARGE, tenantOf({ schedules, people }))
save(COMPARED, tenantOf({ schedules: compared, people: 100 }))

interface Ran {
  seconds: number
  megabytes: number
  out: string
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

/** `vedette`, as people call it. */
async function run(keyFile: string, ...args: string[]): Promise<Ran> {
  const { argv } = PROGRAMS.vedette(args)
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
  if (said.out === '') throw new Error(said.err)
  return { seconds: (performance.now() - startedMs) / 1000, megabytes, out: said.out }
}

/** Saves who is on duty as Opsgenie would say it: by what is here. */
async function saveTimelines(headers: Readonly<Record<string, string>>): Promise<void> {
  const read = async (path: string) => (await fetch(`${backend.url}/v1/${path}`, { headers })).json()
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const [from, to] = [today, today + DAYS * DAY_MS].map((ms) => new Date(ms).toISOString())
  // Rotations that are on duty together are several schedules here.
  const periodsOf = new Map<string, object[]>()
  for (let page = 1, total = 1; (page - 1) * 100 < total; page += 1) {
    const { schedules: named } = (await read(`schedules?limit=100&page=${page}`)) as ScheduleList
    const { schedules: found, total: all } = (await read(`shifts?limit=100&page=${page}&from=${from}&to=${to}`)) as ShiftList
    total = all
    const names = new Map(named.map(({ id, name }) => [id, name]))
    for (const { schedule_id: id, shifts } of found) {
      const [, number] = /Team (\d+)/.exec(names.get(id) ?? '') ?? []
      const periods = shifts.map((shift) => ({
        startDate: shift.from,
        endDate: shift.to,
        recipient: { type: 'user', name: shift.email },
      }))
      periodsOf.set(`s${number}`, [...(periodsOf.get(`s${number}`) ?? []), ...periods])
    }
  }
  for (const [id, periods] of periodsOf)
    save(COMPARED, {
      [`schedules/${id}/timeline.json`]: { data: { _parent: { id }, finalTimeline: { rotations: [{ periods }] } } },
    })
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
  const times = async (...args: string[]) => {
    const ran: Ran[] = []
    for (let index = 0; index < rounds; index += 1) ran.push(await run(keyFile, ...args))
    return ran
  }
  const planned = await times('migrate-from', 'opsgenie', LARGE, '--json')
  const { report } = JSON.parse(planned[0]?.out ?? '') as { report: { source: { kind: string }; fidelity: string }[] }
  const counts = Map.groupBy(report, ({ source, fidelity }) => `${source.kind} ${fidelity}`)
  const plan = join(folder, 'plan.json')
  await run(keyFile, 'migrate-from', 'opsgenie', COMPARED, '--out', plan)
  await run(keyFile, 'apply', plan, '--yes')
  await saveTimelines(headers)
  const comparisons = await times('oncall-diff', 'opsgenie', COMPARED, '--days', String(DAYS), '--json')
  const { compared: same, differences } = JSON.parse(comparisons[0]?.out ?? '') as { compared: number; differences: unknown[] }
  if (same !== compared || differences.length > 0) throw new Error(`${same} compared, ${differences.length} differ`)
  printFigures(
    [
      {
        name: `${schedules.toLocaleString('en-US')} schedules and ${people.toLocaleString('en-US')} people: planned`,
        value: median(planned.map((one) => one.seconds)),
        unit: 's',
        goal: { atMost: 20 },
      },
      { name: 'memory of the command', value: median(planned.map((one) => one.megabytes)), unit: 'MB', goal: { atMost: 300 } },
      {
        name: `${compared} schedules of ${DAYS} days: compared with the old tool`,
        value: median(comparisons.map((one) => one.seconds)),
        unit: 's',
        goal: { atMost: 5 },
      },
    ],
    {
      seconds: planned.map((one) => round(one.seconds)),
      compared: comparisons.map((one) => round(one.seconds)),
      report: Object.fromEntries([...counts].map(([name, rows]) => [name, rows.length])),
    },
  )
} finally {
  await backend.stop()
  rmSync(folder, { recursive: true })
}
