import type { ScheduleLayerBody, ScheduleOverrideBody } from '@vedette/shared'
import type { Json } from '../json.ts'
import type { Notes } from '../model.ts'

/**
 * The id of a member by a reference to a user; undefined, and noted: nobody here. `isAlone`: without this person nobody is on duty, so
 * that one who is gone at the source makes no difference.
 */
export type MemberOf = (user: Json, of: string, notes: Notes, isAlone?: boolean) => string | undefined

/** A schedule here, without what references it. */
export interface ScheduleSpec {
  name: string
  time_zone: string
  layers: ScheduleLayerBody[]
  overrides: ScheduleOverrideBody[]
}
