import { DAY_MS, MAX_SHIFT_DAYS, type Schedule, type Shift, type ShiftList, toTimestamp } from '@vedette/shared'
import { differencesOf, type DutyEntry, peopleOf, savedRange } from '../moving/index.ts'
import { CLIENT_OPTIONS, createRequest, readAll, type SendRequest } from './api-client.ts'
import { type CommandResult, type Task, UsageError } from './command.ts'
import { FileFault } from './configuration-files.ts'
import { readFolder, toolOf } from './migrate-from.ts'
import { PLAN_OPTIONS } from './plan.ts'

const DEFAULT_DAYS = 90
/** What has people on duty at the source. */
const IS_ROTA: ReadonlySet<string> = new Set(['schedule', 'rotation'])

interface Compared {
  compared: number
  /** Names of schedules that are not here. */
  missing: string[]
  /** Names of schedules whose entries the folder does not have. */
  unsaved: string[]
  differences: Difference[]
}

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
    const { name, tool } = toolOf(call)
    const files = readFolder(tool, call.parameters['folder'] as string)
    const range = rangeOf(call.options, context.clock.now())
    const rendered = tool.rendered(files)
    if (rendered.size === 0) throw new FileFault(`${call.parameters['folder']}: has no rendered entries of a schedule`)
    const send = createRequest(call, context)
    const owner = String(call.options['owner'] ?? `import:${name}`)
    const here = new Map(
      (await readAll<Schedule>(send, '/v1/schedules', 'schedules')).flatMap(({ id, managed }) =>
        managed?.owner === owner ? [[managed.ref, id] as const] : [],
      ),
    )
    const onDuty = await readEntries(send, range)
    // Whom a rotation names does not matter here, but which schedules it becomes.
    const { report } = tool.read(files, peopleOf([]), context.clock.now())
    const saved = savedRange(files)
    const found: Compared = { compared: 0, missing: [], unsaved: [], differences: [] }
    for (const { source, becomes } of report) {
      if (!IS_ROTA.has(source.kind)) continue
      const entries = rendered.get(source.id)
      const refs = becomes.filter((ref) => ref.startsWith('schedule:'))
      if (!entries) {
        if (refs.length > 0) found.unsaved.push(source.name)
        continue
      }
      const ids = refs.map((ref) => here.get(ref.replace('schedule:', '')))
      if (ids.length === 0 || ids.includes(undefined)) {
        found.missing.push(source.name)
        continue
      }
      const span = withinSaved(entries, saved, range)
      if (!span) continue
      found.compared += 1
      const ours = ids.flatMap((id) => onDuty.get(id as string) ?? [])
      for (const { fromMs, toMs, ...people } of differencesOf(entries, ours, span))
        found.differences.push({ schedule: source.name, from: toTimestamp(fromMs), to: toTimestamp(toMs), ...people })
    }
    return resultOf(found, saved && saved.toMs < range.toMs ? saved.toMs : undefined)
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

interface Span {
  fromMs: number
  toMs: number
}

/** Only what was saved can be compared: what a fetch rendered, else from the first entry to the last one. */
function withinSaved(entries: readonly DutyEntry[], saved: Span | undefined, { fromMs, toMs }: Span): Span | undefined {
  const first = Math.max(fromMs, saved?.fromMs ?? Math.min(...entries.map((entry) => entry.fromMs)))
  const last = Math.min(toMs, saved?.toMs ?? Math.max(...entries.map((entry) => entry.toMs)))
  return first < last ? { fromMs: first, toMs: last } : undefined
}

/** Who is on duty here, by the ids of schedules: a hundred of them in a request, of which an installation takes so many a minute. */
async function readEntries(send: SendRequest, { fromMs, toMs }: Span): Promise<Map<string, DutyEntry[]>> {
  const range = `from=${toTimestamp(fromMs)}&to=${toTimestamp(toMs)}`
  const schedules = await readAll<ShiftList['schedules'][number]>(send, `/v1/shifts?${range}`, 'schedules')
  const toEntry = ({ from, to, email }: Shift) => ({ fromMs: Date.parse(from), toMs: Date.parse(to), email })
  return new Map(schedules.map(({ schedule_id: id, shifts }) => [id, shifts.map(toEntry)]))
}

const NOBODY = 'nobody'

/** `untilMs`: the end of what was saved, where it is before the end of what was to be compared. */
function resultOf(found: Compared, untilMs: number | undefined): CommandResult {
  const { compared, missing, unsaved, differences } = found
  const lines = [
    ...missing.map(
      (name) => `! ${name}: is not here; apply the plan of "vedette migrate-from" first, which says what does not come`,
    ),
    ...unsaved.map((name) => `? ${name}: is not compared: the folder does not have who is on duty there`),
    ...differences.map(({ schedule, from, to, theirs, ours }) => {
      const [there, here] = [theirs, ours].map((people) => people.join(', ') || NOBODY)
      return `~ ${schedule}: ${from} to ${to}: there ${there}, here ${here}`
    }),
    ...(untilMs === undefined ? [] : [`Compared until ${toTimestamp(untilMs)}: no more was saved`]),
    `${compared} schedules compared, ${differences.length} differences, ${missing.length} missing`,
  ]
  const isSame = compared > 0 && differences.length === 0 && missing.length === 0
  return { json: { ...found }, text: lines.join('\n'), exit: isSame ? 0 : 1 }
}
