import { DAY_MS, MAX_SHIFT_DAYS, type Schedule, type ScheduleShifts, toTimestamp } from '@vedette/shared'
import { differencesOf, type DutyEntry, peopleOf, READERS, RENDERED } from '../moving/index.ts'
import { CLIENT_OPTIONS, createRequest, readAll, type SendRequest } from './api-client.ts'
import { type CommandResult, type Task, UsageError } from './command.ts'
import { FileFault } from './configuration-files.ts'
import { readFolder, toolOf } from './migrate-from.ts'
import { PLAN_OPTIONS } from './plan.ts'

const DEFAULT_DAYS = 90

interface Difference {
  schedule: string
  from: string
  to: string
  theirs: string[]
  ours: string[]
}

export const oncallDiff: Task = {
  name: 'oncall-diff',
  summary: 'list when others are on duty here than in the saved schedules of another tool',
  parameters: ['source', 'folder'],
  options: {
    ...CLIENT_OPTIONS,
    owner: { ...PLAN_OPTIONS.owner, help: 'who manages the schedules here (default: import:<source>)' },
    from: { type: 'string', value: 'DAY', help: 'today, or as 2026-11-30 (default: today)' },
    days: { type: 'string', value: 'NUMBER', help: `1 to ${MAX_SHIFT_DAYS} (default: ${DEFAULT_DAYS})` },
  },
  async run(call, context): Promise<CommandResult> {
    const tool = toolOf(call.parameters['source'] as string, RENDERED)
    const files = readFolder(tool, call.parameters['folder'] as string)
    const range = rangeOf(call.options, context.clock.now())
    const rendered = RENDERED[tool]?.(files) ?? new Map<string, DutyEntry[]>()
    if (rendered.size === 0) throw new FileFault(`${call.parameters['folder']}: has no rendered entries of a schedule`)
    const send = createRequest(call, context)
    const owner = String(call.options['owner'] ?? `import:${tool}`)
    const here = new Map(
      (await readAll<Schedule>(send, '/v1/schedules', 'schedules')).flatMap(({ id, managed }) =>
        managed?.owner === owner ? [[managed.ref, id] as const] : [],
      ),
    )
    // Whom a rotation names does not matter here, but which schedules it becomes.
    const { report } = (READERS[tool] as (typeof READERS)[string])(files, peopleOf([]), context.clock.now())
    const differences: Difference[] = []
    const missing: string[] = []
    let compared = 0
    for (const { source, becomes } of report) {
      const entries = source.kind === 'schedule' ? rendered.get(source.id) : undefined
      if (!entries) continue
      const ids = becomes.map((ref) => here.get(ref.replace('schedule:', '')))
      if (ids.length === 0 || ids.includes(undefined)) {
        missing.push(source.name)
        continue
      }
      const span = withinSaved(entries, range)
      if (!span) continue
      compared += 1
      const ours = await readEntries(send, ids as string[], span)
      for (const { fromMs, toMs, ...people } of differencesOf(entries, ours, span))
        differences.push({ schedule: source.name, from: toTimestamp(fromMs), to: toTimestamp(toMs), ...people })
    }
    return resultOf({ compared, missing, differences })
  },
}

function rangeOf(options: Readonly<Record<string, string | boolean | undefined>>, nowMs: number) {
  const { from = 'today', days = String(DEFAULT_DAYS) } = options
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS
  const fromMs = from === 'today' ? today : /^\d{4}-\d\d-\d\d$/.test(String(from)) ? Date.parse(String(from)) : Number.NaN
  if (Number.isNaN(fromMs)) throw new UsageError('--from must be today, or a day as 2026-11-30')
  const count = /^\d{1,3}$/.test(String(days)) ? Number(days) : 0
  if (count < 1 || count > MAX_SHIFT_DAYS) throw new UsageError(`--days must be 1 to ${MAX_SHIFT_DAYS} days`)
  return { fromMs, toMs: fromMs + count * DAY_MS }
}

/** Only what was saved can be compared: from the first entry to the last one. */
function withinSaved(entries: readonly DutyEntry[], { fromMs, toMs }: { fromMs: number; toMs: number }) {
  const first = Math.max(fromMs, Math.min(...entries.map((entry) => entry.fromMs)))
  const last = Math.min(toMs, Math.max(...entries.map((entry) => entry.toMs)))
  return first < last ? { fromMs: first, toMs: last } : undefined
}

async function readEntries(send: SendRequest, ids: readonly string[], { fromMs, toMs }: { fromMs: number; toMs: number }) {
  const entries: DutyEntry[] = []
  const query = `from=${toTimestamp(fromMs)}&to=${toTimestamp(toMs)}`
  for (const id of ids) {
    const { shifts } = await send<ScheduleShifts>('GET', `/v1/schedules/${id}/shifts?${query}`)
    entries.push(...shifts.map(({ from, to, email }) => ({ fromMs: Date.parse(from), toMs: Date.parse(to), email })))
  }
  return entries
}

const NOBODY = 'nobody'

function resultOf(found: { compared: number; missing: string[]; differences: Difference[] }): CommandResult {
  const { compared, missing, differences } = found
  const lines = [
    ...missing.map((name) => `! ${name}: is not here; apply the plan of "vedette migrate-from" first`),
    ...differences.map(({ schedule, from, to, theirs, ours }) => {
      const [there, here] = [theirs, ours].map((people) => people.join(', ') || NOBODY)
      return `~ ${schedule}: ${from} to ${to}: there ${there}, here ${here}`
    }),
    `${compared} schedules compared, ${differences.length} differences, ${missing.length} missing`,
  ]
  const isSame = compared > 0 && differences.length === 0 && missing.length === 0
  return { json: { ...found }, text: lines.join('\n'), exit: isSame ? 0 : 1 }
}
