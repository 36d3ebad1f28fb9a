import { MAX_SCHEDULE_OVERRIDES, type ScheduleLayerBody, type ScheduleOverrideBody, toTimestamp } from '@vedette/shared'
import { instantOf, type Json, objectOf, textOf } from '../json.ts'
import { moved, newNotes, type Notes, refused, type ReportRow } from '../model.ts'
import { dutyTimes, overridesFor } from '../replaced.ts'
import type { MemberOf } from './shifts.ts'

/** Of `team/<slug>/oncall/schedule.json`: somebody is on duty in place of somebody else. */
interface TeamOverride {
  name: string
  original: string
  substitute: string
  fromMs: number
  toMs: number
  /** Rotations in which the original one is on duty meanwhile. */
  rotations: number
}

export interface TeamOverrides {
  /** Those of layers whose people are user names, for the times in which the original one is on duty in them. */
  ofLayers(zone: string, layers: readonly ScheduleLayerBody[], notes: Notes): ScheduleOverrideBody[]
  /** Those that are of no rotation, once all were read; `areAllHere`: all rotations of the team come. */
  others(areAllHere: boolean): ReportRow[]
}

/** The overrides of a team that have not ended; `memberOf` says who is a member here. */
export function readOverrides(team: string, all: readonly Json[], memberOf: MemberOf, nowMs: number): TeamOverrides {
  const unread: ReportRow[] = []
  const overrides = all.flatMap((one): TeamOverride[] => {
    const [fromMs, toMs] = [instantOf(one['start']), instantOf(one['end'])]
    if (toMs !== undefined && toMs <= nowMs) return []
    const [original, substitute] = [userOf(one['origOnCallUser']), userOf(one['overrideOnCallUser'])]
    const name = `${substitute || 'nobody'} for ${original || 'nobody'}`
    if (fromMs !== undefined && toMs !== undefined && fromMs < toMs && original !== '' && substitute !== '')
      return [{ name, original, substitute, fromMs, toMs, rotations: 0 }]
    const reason = 'it names no two people, or no start and end with an offset'
    unread.push(refused({ kind: 'override', id: `${team}/${textOf(one['start'])}`, name }, reason))
    return []
  })
  const ofLayers: TeamOverrides['ofLayers'] = (zone, layers, notes) => {
    const found = overrides.flatMap((one) => {
      const times = dutyTimes(zone, layers, one.original, one)
      if (times.length === 0) return []
      one.rotations += 1
      const userId = memberOf(one.substitute, `override ${one.name}`, notes)
      if (userId === undefined) return []
      return overridesFor(userId, times)
    })
    if (found.length > MAX_SCHEDULE_OVERRIDES)
      notes.losses.push(`it has ${found.length} times of overrides; the first ${MAX_SCHEDULE_OVERRIDES} of them come`)
    return found.slice(0, MAX_SCHEDULE_OVERRIDES)
  }
  const others = (areAllHere: boolean) => [
    ...unread,
    ...overrides
      .filter(({ rotations }) => rotations === 0)
      .map(({ name, fromMs }) => {
        const source = { kind: 'override', id: `${team}/${toTimestamp(fromMs)}`, name }
        const why = 'who is replaced is on duty in no rotation that comes at that time'
        return areAllHere
          ? moved(source, [], { ...newNotes(), remarks: [`${why}, so that it changes nothing`] })
          : refused(source, why)
      }),
  ]
  return { ofLayers, others }
}

const userOf = (user: unknown): string => textOf(objectOf(user)['username'])
