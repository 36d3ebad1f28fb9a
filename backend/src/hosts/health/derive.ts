import { HEALTH_CODES, HEALTH_FINDINGS, HEALTH_STATUSES, type HealthStatus } from '@vedette/shared'
import type { Finding, GrowingCounter, HealthMemory, HeldCondition } from '../servers/index.ts'
import { DECLARATIONS, type Declaration } from './declarations.ts'
import type { Thing, ThingKind } from './thing.ts'
import { STATE_MS } from './things.ts'

export interface Health {
  status: HealthStatus
  /** Worst first. */
  findings: readonly Finding[]
  memory: HealthMemory
}

export interface HealthInput {
  /** When the things were measured, ms. */
  atMs: number
  things: readonly Thing[]
  /** Kinds that were read: what is not among `things` is gone, or well. Default: those of `things`. */
  read?: ReadonlySet<ThingKind>
  /** Undefined for a host whose health was never derived: what its counters counted until now is no finding. */
  before: HealthMemory | undefined
}

/** Of one host: thousands of failed containers need no list. */
const MAX_FINDINGS = 100

/**
 * The health of a host from everything that is measured. What is not measured, or cannot be true, is no finding. A finding whose
 * value is missing stays for a quarter of an hour: a disk that did not answer once is not well. Pure.
 */
export function deriveHealth({ atMs, things, before, read = new Set(things.map(({ kind }) => kind)) }: HealthInput): Health {
  const byKind = Map.groupBy(things, ({ kind }) => kind)
  const held: Record<string, HeldCondition> = {}
  const counters: Record<string, GrowingCounter> = {}
  const findings = new Map<string, Finding>()
  const measuredKeys = new Set<string>()
  for (const declaration of DECLARATIONS)
    for (const thing of byKind.get(declaration.kind) ?? []) {
      const key = `${declaration.code} ${declaration.field} ${thing.name}`
      const measured = measure(declaration, thing)
      if (measured === 'missing') continue
      measuredKeys.add(key)
      if (measured === 'not_applicable') continue
      const { value, limit } = measured
      const grown = declaration.afterGrowthMs === undefined ? undefined : growth(value, key, atMs, before)
      if (grown) counters[key] = { value, grewMs: grown.grewMs }
      const since = before?.held[key]
      const isBeyond = grown
        ? grown.grewMs !== null && atMs - grown.grewMs < (declaration.afterGrowthMs ?? 0)
        : reaches(declaration, value, limit, since?.isOpen === true)
      if (!isBeyond) continue
      const sinceMs = Math.min(since?.sinceMs ?? atMs, atMs)
      const isOpen = since?.isOpen === true || atMs - sinceMs >= (declaration.forSeconds ?? 0) * 1_000
      held[key] = { sinceMs, isOpen }
      const about = `${declaration.code} ${thing.name}`
      if (!isOpen || findings.has(about)) continue
      held[key].finding = toFinding(declaration, thing, value, limit, sinceMs)
      findings.set(about, held[key].finding)
    }
  const stays = <T extends { missingMs?: number }>([key, known]: [string, T], keepsAbsent: boolean): [string, T][] => {
    const { kind, name } = partsOf(key)
    const isThere = kind !== undefined && byKind.get(kind)?.some((thing) => thing.name === name) === true
    const isGone = kind === undefined || (read.has(kind) && (keepsAbsent ? WHOLE.has(kind) : !isThere))
    const missingMs = Math.min(known.missingMs ?? atMs, atMs)
    return measuredKeys.has(key) || isGone || atMs - missingMs >= STATE_MS ? [] : [[key, { ...known, missingMs }]]
  }
  for (const [key, condition] of Object.entries(before?.held ?? {}).flatMap((known) => stays(known, true))) {
    held[key] = condition
    const { about } = partsOf(key)
    if (condition.finding && !findings.has(about)) findings.set(about, condition.finding)
  }
  // One that is back with the value that it had has not grown.
  for (const [key, counter] of Object.entries(before?.counters ?? {}).flatMap((known) => stays(known, false)))
    counters[key] = counter
  const sorted = [...findings.values()].sort(byUrgency).slice(0, MAX_FINDINGS)
  for (const condition of Object.values(held))
    if (condition.finding && !sorted.includes(condition.finding)) delete condition.finding
  return { status: sorted[0]?.severity ?? 'ok', findings: sorted, memory: { held, counters } }
}

/**
 * Listed as a whole: what is missing of them is gone, or does not apply any more, such as the forecast of a filesystem that was cleaned
 * up. Of all others each one answers for itself: a disk may give nothing while the others do.
 */
const WHOLE: ReadonlySet<ThingKind> = new Set(['filesystem', 'container', 'unit'])

/** Kinds of things of which something is found, or may soon be: all of them must be known by name, to see that one is well again. */
export const kindsFound = (memory: HealthMemory | undefined): Set<ThingKind> =>
  new Set(Object.keys(memory?.held ?? {}).flatMap((key) => partsOf(key).kind ?? []))

const KINDS: ReadonlyMap<string, ThingKind> = new Map(DECLARATIONS.map(({ code, field, kind }) => [`${code} ${field}`, kind]))

/** Of the key of a condition. Names may have spaces. */
function partsOf(key: string): { kind: ThingKind | undefined; about: string; name: string } {
  const [code = '', field = '', ...rest] = key.split(' ')
  const name = rest.join(' ')
  return { kind: KINDS.get(`${code} ${field}`), about: `${code} ${name}`, name }
}

/** `not_applicable`: the value is there, and is no finding about this thing whatever it is. */
function measure(
  { field, limit, range, when }: Declaration,
  thing: Thing,
): { value: number; limit: number } | 'missing' | 'not_applicable' {
  const value = thing.values[field]
  if (value === undefined || !Number.isFinite(value)) return 'missing'
  if (range && (value < range[0] || value > range[1])) return 'missing'
  const bound = typeof limit === 'number' ? limit : limit(thing)
  return bound === undefined || (when && !when(thing)) ? 'not_applicable' : { value, limit: bound }
}

function reaches({ side, slack = 0 }: Declaration, value: number, limit: number, isOpen: boolean): boolean {
  const bound = isOpen ? slack : 0
  return side === 'at_least' ? value >= limit - bound : value <= limit + bound
}

/** Undefined for a counter at 0. One that was set back and counts again has grown. */
function growth(
  value: number,
  key: string,
  atMs: number,
  before: HealthMemory | undefined,
): { grewMs: number | null } | undefined {
  if (value <= 0) return undefined
  if (!before) return { grewMs: null }
  const known = before.counters[key]
  return known?.value === value ? { grewMs: known.grewMs } : { grewMs: atMs }
}

function toFinding(declaration: Declaration, thing: Thing, value: number, limit: number, sinceMs: number): Finding {
  const { code, range, field } = declaration
  const isFlag = range?.[0] === 0 && range[1] === 1
  return {
    code,
    severity: HEALTH_FINDINGS[code].severity,
    text: declaration.text(thing, value, limit),
    sinceMs,
    entityId: thing.entityId,
    field: thing.kind === 'filesystem' ? thing.name : field,
    value: isFlag ? null : value,
    limit: isFlag ? null : limit,
  }
}

/** Worst first, then as the codes are listed, then the newest. */
function byUrgency(one: Finding, other: Finding): number {
  return (
    HEALTH_STATUSES.indexOf(other.severity) - HEALTH_STATUSES.indexOf(one.severity) ||
    HEALTH_CODES.indexOf(one.code) - HEALTH_CODES.indexOf(other.code) ||
    other.sinceMs - one.sinceMs ||
    (one.text < other.text ? -1 : 1)
  )
}
