import type { CreateScheduleBody, Schedule, ScheduleLayer } from '@vedette/shared'
import { DAY_MS } from '@vedette/shared/tables'
import { type RepeatInput, repeatOf, ruleOf } from '../../lib/repeat.ts'
import { newKey } from '../../lib/rows.ts'
import { instantAt, instantText, localTimeAt } from '../../lib/time-zone.ts'
import { type HoursInput, toHoursInput, toRestriction } from '../../lib/hours.ts'

/** A person, or several who are on duty together. */
export type TurnInput = string | readonly string[]

export interface LayerInput extends RepeatInput {
  key: number
  people: readonly TurnInput[]
  /** Local time of the schedule. */
  starts: string
  /** Empty: it does not end. */
  ends: string
  restrictions: readonly HoursInput[]
}

/** A schedule while it is edited. Its overrides have a page of their own. */
export interface ScheduleInput {
  name: string
  zone: string
  layers: readonly LayerInput[]
  mail: boolean
  /** Of the calendar that it follows: its mask where one is stored, empty for none. */
  ical: string
}

/** People who take turns each Monday, from the last 09:00 on: somebody is on duty at once. */
export function newLayer(nowMs: number, zone: string): LayerInput {
  const today = `${localTimeAt(nowMs, zone).slice(0, 10)}T09:00`
  const isOver = (instantAt(today, zone) ?? 0) <= nowMs
  const starts = isOver ? today : `${localTimeAt(nowMs - DAY_MS, zone).slice(0, 10)}T09:00`
  return { key: newKey(), people: [], starts, ends: '', ...repeatOf('FREQ=WEEKLY;BYDAY=MO'), restrictions: [] }
}

export const newSchedule = (nowMs: number, zone: string): ScheduleInput => ({
  name: '',
  zone,
  layers: [newLayer(nowMs, zone)],
  mail: true,
  ical: '',
})

function toLayerInput({ user_ids, starts_at, ends_at, repeat, restrictions }: ScheduleLayer, zone: string): LayerInput {
  const localOf = (timestamp: string) => localTimeAt(Date.parse(timestamp), zone)
  const starts = localOf(starts_at)
  return {
    key: newKey(),
    people: user_ids,
    starts,
    ends: ends_at === null ? '' : localOf(ends_at),
    ...repeatOf(repeat, starts),
    restrictions: restrictions.map(toHoursInput),
  }
}

export const toScheduleInput = (schedule: Schedule): ScheduleInput => ({
  name: schedule.name,
  zone: schedule.time_zone,
  layers: schedule.layers.map((layer) => toLayerInput(layer, schedule.time_zone)),
  mail: schedule.handover_mail,
  ical: schedule.ical_url ?? '',
})

export const toScheduleBody = ({ name, zone, layers, mail, ical }: ScheduleInput): CreateScheduleBody => ({
  name: name.trim(),
  time_zone: zone,
  layers: layers.map((layer) => ({
    user_ids: layer.people.map((turn) => (typeof turn === 'string' ? turn : [...turn])),
    starts_at: instantText(layer.starts, zone),
    ends_at: layer.ends === '' ? null : instantText(layer.ends, zone),
    repeat: ruleOf(layer, layer.starts),
    restrictions: layer.restrictions.map(toRestriction),
  })),
  handover_mail: mail,
  ical_url: ical.trim() || null,
})
