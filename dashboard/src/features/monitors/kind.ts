import type { HeartbeatSchedule } from '@vedette/shared'
import { checkKindSpec, type LinesForm, NETWORK_FORMS, type OptionSpec, withOptionDefaults } from '@vedette/shared/tables'
import { duration } from '../../lib/format.ts'
import { heartbeats } from '../../messages/heartbeats.ts'
import { compositeOptionText, toComposite, type TypedComposite, typedComposite } from './composites/input.ts'
import { NEW_HEARTBEAT_URL, toSchedule, typedSchedule } from './heartbeat-input.ts'

type Options = Readonly<Record<string, unknown>>

/** How the pages of a monitor depend on its kind. */
interface MonitorKind {
  /** It has an interval, a timeout, regions and phases, and can be tested. A heartbeat waits for pings, a composite has members. */
  isChecked: boolean
  /** It has an address, assertions and results: checks, or pings in place of them. */
  hasResults: boolean
  /** What a new one begins with. */
  newUrl: string
  /** What a copy has in place of what it was copied from. */
  copied: { url?: string; credentials?: Record<string, string> }
  /** Options as a form shows them, with the defaults of the kind. */
  typedOptions(options: Options): Record<string, unknown>
  /** As the API takes them. */
  toOptions(typed: Options): Record<string, unknown>
  /** An option in words, where these are not those of its value; undefined: its page shows it elsewhere. */
  optionText?(value: unknown, name: string): string | undefined
}

export const kindOf = (type: string): MonitorKind =>
  type === 'heartbeat' ? HEARTBEAT : type === 'composite' ? COMPOSITE : checkedKind(type)

const HEARTBEAT: MonitorKind = {
  isChecked: false,
  hasResults: true,
  newUrl: NEW_HEARTBEAT_URL,
  // Two heartbeats have neither one name nor one token.
  copied: { url: NEW_HEARTBEAT_URL, credentials: {} },
  typedOptions: ({ schedule }) => ({ schedule: typedSchedule(schedule) }),
  toOptions: ({ schedule }) => ({ schedule: toSchedule(schedule) }),
  optionText: (value) => scheduleText(value as HeartbeatSchedule),
}

const COMPOSITE: MonitorKind = {
  isChecked: false,
  hasResults: false,
  newUrl: 'composite:',
  copied: {},
  typedOptions: typedComposite,
  toOptions: (typed) => toComposite(typed as unknown as TypedComposite),
  optionText: compositeOptionText,
}

/** One that this page does not know keeps its options as they are. */
function checkedKind(type: string): MonitorKind {
  const spec = checkKindSpec(type)
  const formOf = (name: string) => spec?.options?.[name]?.form ?? NETWORK_FORMS[name]
  const isNumber = (name: string) => formOf(name) === 'number'
  const linesOf = (name: string) => (formOf(name) === 'list' ? TEXTS : linesForm(spec?.options?.[name]))
  return {
    isChecked: true,
    hasResults: true,
    newUrl: '',
    copied: {},
    typedOptions: (options) =>
      mapped(withOptionDefaults(spec, options), (name, value) => {
        const lines = linesOf(name)
        return [[name, lines ? lines.toLines(value).join('\n') : isNumber(name) ? String(value) : value]]
      }),
    // Empty texts are left out; a number that is none is sent as it is typed, and refused.
    toOptions: (typed) =>
      mapped(typed, (name, value) => {
        if (value === '') return []
        const lines = linesOf(name)
        if (lines && typeof value === 'string') return [[name, lines.toValue(filledLines(value))]]
        return [[name, isNumber(name) && Number.isFinite(Number(value)) ? Number(value) : value]]
      }),
  }
}

/** Typed as one item a line. */
function linesForm(option: OptionSpec | undefined): LinesForm | undefined {
  return option?.form === 'own' ? option.lines : undefined
}

const TEXTS: LinesForm = { toLines: (value) => (Array.isArray(value) ? value.map(String) : []), toValue: (lines) => lines }

const filledLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

const mapped = (options: Options, map: (name: string, value: unknown) => [string, unknown][]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(options).flatMap(([name, value]) => map(name, value)))

function scheduleText(schedule: HeartbeatSchedule): string {
  const { every, at } = heartbeats.schedule
  const grace = duration(schedule.grace_seconds)
  if ('period_seconds' in schedule) return every(duration(schedule.period_seconds), grace)
  return at('cron' in schedule ? schedule.cron : schedule.on_calendar, schedule.time_zone, grace)
}
