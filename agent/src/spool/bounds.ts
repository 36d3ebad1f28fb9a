import type { BatchState, FactsBody, SampleValues } from '@vedette/shared'
import {
  type Bounds,
  ENTITY_BOUNDS,
  ENTITY_EVENT_BOUNDS,
  FACTS_BOUNDS,
  SAMPLE_BOUNDS,
  STATE_BOUNDS,
} from '@vedette/shared/bounds'
import { truncateText } from '@vedette/shared/outside-text'
import type { Log } from '../process/log.ts'

/** Reports a field with a value that a backend refuses. */
type Report = (field: string, value: unknown) => void
/** The same value if it is within its bounds, what is left of it, or undefined if nothing is. */
type Check = (value: unknown, report: Report) => unknown

/** Checks are compiled once: a sample is checked without making a copy or a path, unless something is left out. */
function compile(bounds: Bounds, path = ''): Check {
  switch (bounds.type) {
    case 'number':
    case 'integer':
      return compileNumber(bounds, path)
    case 'string':
      return compileText(bounds, path)
    case 'boolean':
      return (value, report) => (typeof value === 'boolean' ? value : leaveOut(path, value, report))
    case 'array':
      return compileList(bounds, path)
    case 'object':
      return compileObject(bounds, path)
  }
}

function leaveOut(path: string, value: unknown, report: Report): undefined {
  if (value !== undefined) report(path, value)
}

function compileNumber({ type, minimum, maximum, isNullable }: Extract<Bounds, { minimum: number }>, path: string): Check {
  const isInteger = type === 'integer'
  return (value, report) => {
    // NaN is not between them.
    if (typeof value === 'number' && value >= minimum && value <= maximum && (!isInteger || Number.isInteger(value))) return value
    if (!isNullable) return leaveOut(path, value, report)
    if (value !== null) leaveOut(path, value, report)
    return null
  }
}

function compileText({ minLength, maxLength }: Extract<Bounds, { maxLength: number }>, path: string): Check {
  return (value, report) => {
    if (typeof value !== 'string') return leaveOut(path, value, report)
    const whole = truncateText(value, maxLength)
    const text = whole.includes('\0') ? whole.replaceAll('\0', '') : whole
    // Nothing is reported of an empty one: it says nothing.
    return text.length >= minLength ? text : undefined
  }
}

function compileList({ items, maxItems }: Extract<Bounds, { items: Bounds }>, path: string): Check {
  const check = compile(items, path)
  return (value, report) => {
    if (!Array.isArray(value)) return leaveOut(path, value, report)
    if (value.length > maxItems) report(path, value)
    let kept: unknown[] | undefined
    for (let index = 0; index < value.length && index < maxItems; index++) {
      const item = check(value[index], report)
      if (item === undefined || item !== value[index]) kept ??= value.slice(0, index)
      if (item !== undefined) kept?.push(item)
    }
    return kept ?? (value.length > maxItems ? value.slice(0, maxItems) : value)
  }
}

function compileObject({ properties, required }: Extract<Bounds, { properties: object }>, path: string): Check {
  const fields = Object.entries(properties).map(([name, bounds]) => ({
    name,
    isRequired: required.includes(name),
    check: compile(bounds, path === '' ? name : `${path}.${name}`),
  }))
  return (value, report) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return leaveOut(path, value, report)
    const given = value as Readonly<Record<string, unknown>>
    let kept: Record<string, unknown> | undefined
    for (const { name, isRequired, check } of fields) {
      const before = given[name]
      if (before === undefined && !isRequired) continue
      const after = check(before, report)
      if (after === undefined && isRequired) return undefined
      if (after === before) continue
      kept ??= { ...given }
      if (after === undefined) delete kept[name]
      else kept[name] = after
    }
    return kept ?? given
  }
}

const CHECKS = { sample: compile(SAMPLE_BOUNDS), state: compile(STATE_BOUNDS), facts: compile(FACTS_BOUNDS) }
const EVENT_CHECK = compile(ENTITY_EVENT_BOUNDS)
const ENTITY_CHECKS: Readonly<Record<string, Check>> = Object.fromEntries(
  Object.entries(ENTITY_BOUNDS).map(([kind, bounds]) => [kind, compile(bounds)]),
)

/**
 * Every value of every source passes here before it is recorded. What a backend would refuse is left out, because it would refuse all
 * that is sent with it: drivers report a load of 10^260, counters of 2^64 and names of any bytes. A value that is left out is absent,
 * never 0, and each field of a source is logged once.
 */
export class ValueBounds {
  readonly #log: Log
  readonly #logged = new Set<string>()
  /** For each source, made once. */
  readonly #reports = new Map<string, Report>()

  constructor(log: Log) {
    this.#log = log
  }

  // A check returns a part of what it was given: of the same type, because what its type requires is required.
  sample(values: SampleValues): SampleValues {
    return (CHECKS.sample(values, this.#reportOf('samples')) as SampleValues | undefined) ?? {}
  }

  state(state: BatchState): BatchState {
    return (CHECKS.state(state, this.#reportOf('state')) as BatchState | undefined) ?? {}
  }

  facts<T extends FactsBody>(facts: T): T {
    return CHECKS.facts(facts, this.#reportOf('facts')) as T
  }

  /** Undefined for one without a name. */
  entity<Reading extends { kind: string }>(reading: Reading): Reading | undefined {
    return ENTITY_CHECKS[reading.kind]?.(reading, this.#reportOf(reading.kind)) as Reading | undefined
  }

  /** Undefined for one without a name. */
  event<Event extends { kind: string }>(event: Event): Event | undefined {
    return EVENT_CHECK(event, this.#reportOf(`events of ${event.kind}`)) as Event | undefined
  }

  #reportOf(source: string): Report {
    const known = this.#reports.get(source)
    if (known) return known
    const report: Report = (field, value) => {
      const key = `${source} ${field}`
      if (this.#logged.has(key)) return
      this.#logged.add(key)
      // Texts may be private.
      const given = typeof value === 'number' ? String(value) : Array.isArray(value) ? `${value.length} entries` : typeof value
      this.#log('warn', 'left out a value that no backend takes', { source, field, value: given })
    }
    this.#reports.set(source, report)
    return report
  }
}
