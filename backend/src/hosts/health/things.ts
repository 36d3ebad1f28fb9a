import { DAY_MS, type Filesystem, HOUR_MS, type HostState } from '@vedette/shared'
import type { DescribedEntity, MeasuredEntities } from '../entities/index.ts'
import { DECLARATIONS } from './declarations.ts'
import type { Thing, ThingKind } from './thing.ts'

/** What is older than the newest sample by more is not the state of the host any more. */
export const STATE_MS = 15 * 60_000
/** How far back ends of containers count. */
export const DEATHS_MS = DAY_MS
const QUARTER_MS = HOUR_MS / 4

const KINDS = Map.groupBy(DECLARATIONS, ({ kind }) => kind)

type EntityReading = MeasuredEntities['readings'][number]

/**
 * The entities that may be a finding by what was read of them, and those of kinds of which something is found: only their names are looked
 * up. Nearly all are none. Pure.
 */
export function suspectsOf({ readings, deaths }: MeasuredEntities, found: ReadonlySet<ThingKind>): EntityReading[] {
  const died = new Set(deaths.map(({ number }) => number))
  return readings.filter(
    ({ kind, number, values }) =>
      found.has(kind) ||
      died.has(number) ||
      (KINDS.get(kind) ?? []).some(({ field, side, limit, slack = 0, afterGrowthMs }) => {
        const value = values[field]
        if (value === undefined) return false
        if (afterGrowthMs !== undefined) return value > 0
        const bound = typeof limit === 'number' ? limit : limit({ kind, name: '', entityId: null, attributes: {}, values })
        return bound !== undefined && (side === 'at_least' ? value >= bound - slack : value <= bound + slack)
      }),
  )
}

/** Entities as things, with what happened to them and what follows from how long the host is up. Pure. */
export function thingsOfEntities(
  { atMs, deaths }: MeasuredEntities,
  suspects: readonly EntityReading[],
  described: ReadonlyMap<number, DescribedEntity>,
  uptimeSeconds: number | undefined,
): Thing[] {
  const ends = Map.groupBy(deaths, ({ number }) => number)
  return suspects.flatMap(({ kind, number, values }): Thing[] => {
    const entity = described.get(number)
    if (!entity) return []
    const { id: entityId, name, attributes } = entity
    const more =
      kind === 'container'
        ? valuesOfDeaths(ends.get(number) ?? [], attributes['started_at'], atMs)
        : kind === 'memory'
          ? correctedPerDay(values['corrected_errors'], uptimeSeconds)
          : {}
    return [{ kind, name, entityId, attributes, values: { ...values, ...more } }]
  })
}

function valuesOfDeaths(deaths: MeasuredEntities['deaths'], startedAt: string | undefined, atMs: number): Record<string, number> {
  const last = deaths.at(-1)
  if (!last) return {}
  const ranMs = last.at - Date.parse(startedAt ?? '')
  return {
    deaths_day: deaths.length,
    deaths_quarter: deaths.filter(({ at }) => at >= atMs - QUARTER_MS).length,
    out_of_memory_day: deaths.filter(({ oom }) => oom).length,
    ...(last.exitCode !== undefined && { exit_code: last.exitCode }),
    ...(ranMs >= 0 && { last_run_seconds: ranMs / 1_000 }),
  }
}

/** The counter begins with the start of the host. */
function correctedPerDay(errors: number | undefined, uptimeSeconds: number | undefined): Record<string, number> {
  if (errors === undefined || uptimeSeconds === undefined) return {}
  return { corrected_errors_per_day: errors / Math.max(1, (uptimeSeconds * 1_000) / DAY_MS) }
}

/** The parts of a host that are no entities. `units`: those that are entities; `failedUnits`: how many have failed, where not all are listed. Pure. */
export function thingsOfHost(
  state: { filesystems: readonly Filesystem[]; host: HostState },
  agent: Readonly<Record<string, number>>,
  units: ReadonlySet<string>,
  daysUntilFull: ReadonlyMap<string, number>,
  failedUnits?: number,
): Thing[] {
  const thing = (kind: Thing['kind'], name: string, values: Thing['values'], attributes: Thing['attributes'] = {}): Thing => ({
    kind,
    name,
    entityId: null,
    attributes,
    values,
  })
  const { failed_units: failed = [], reboot_required: needsRestart, clock_offset_seconds: offset } = state.host
  return [
    ...state.filesystems.map(({ mount, fs_type, percent, total_bytes, inodes_percent: inodes }) => {
      const days = daysUntilFull.get(mount)
      return thing(
        'filesystem',
        mount,
        {
          percent,
          total_bytes,
          ...(inodes !== undefined && { inodes_percent: inodes }),
          ...(days !== undefined && { days_until_full: days }),
        },
        { fs_type },
      )
    }),
    ...failed.filter((name) => !units.has(name)).map((name) => thing('unit', name, { failed: 1 })),
    thing('host', 'host', {
      ...(state.host.failed_units && { more_failed_units: Math.max(0, (failedUnits ?? 0) - failed.length) }),
      ...(needsRestart !== undefined && { reboot_required: Number(needsRestart) }),
      ...(offset !== undefined && { clock_offset_seconds: offset }),
    }),
    thing('agent', 'agent', agent),
  ]
}
