import type { CreateScheduleBody, Schedule, ScheduleLayer } from '@vedette/shared'
import { DAY_MS } from '@vedette/shared/tables'
import { type RepeatInput, repeatOf, ruleOf } from '../../lib/repeat.ts'
import { newKey } from '../../lib/rows.ts'
import { instantAt, instantText, localTimeAt } from '../../lib/time-zone.ts'
import { type HoursInput, toHoursInput, toRestriction } from './hours.ts'

export interface LayerInput extends RepeatInput {
  key: number
  people: readonly string[]
  /** Local time of the schedule. */
  starts: string
  hours: readonly HoursInput[]
}

/** A schedule while it is edited. Its overrides have a page of their own. */
export interface ScheduleInput {
  name: string
  zone: string
  layers: readonly LayerInput[]
  mail: boolean
}

/** People who take turns each Monday, from the last 09:00 on: somebody is on duty at once. */
export function newLayer(nowMs: number, zone: string): LayerInput {
  const today = `${localTimeAt(nowMs, zone).slice(0, 10)}T09:00`
  const isOver = (instantAt(today, zone) ?? 0) <= nowMs
  const starts = isOver ? today : `${localTimeAt(nowMs - DAY_MS, zone).slice(0, 10)}T09:00`
  return { key: newKey(), people: [], starts, repeat: 'weekly', days: ['MO'], rule: '', hours: [] }
}

export const newSchedule = (nowMs: number, zone: string): ScheduleInput => ({
  name: '',
  zone,
  layers: [newLayer(nowMs, zone)],
  mail: true,
})

function toLayerInput({ user_ids, starts_at, repeat, restrictions }: ScheduleLayer, zone: string): LayerInput {
  const starts = localTimeAt(Date.parse(starts_at), zone)
  return { key: newKey(), people: user_ids, starts, ...repeatOf(repeat, starts), hours: restrictions.map(toHoursInput) }
}

export const toScheduleInput = (schedule: Schedule): ScheduleInput => ({
  name: schedule.name,
  zone: schedule.time_zone,
  layers: schedule.layers.map((layer) => toLayerInput(layer, schedule.time_zone)),
  mail: schedule.handover_mail,
})

export const toScheduleBody = ({ name, zone, layers, mail }: ScheduleInput): CreateScheduleBody => ({
  name: name.trim(),
  time_zone: zone,
  layers: layers.map((layer) => ({
    user_ids: [...layer.people],
    starts_at: instantText(layer.starts, zone),
    repeat: ruleOf(layer, layer.starts),
    restrictions: layer.hours.map(toRestriction),
  })),
  handover_mail: mail,
})
