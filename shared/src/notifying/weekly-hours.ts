import { type Static, Type } from 'typebox'
import { ClockTime, Ref } from '../wire/wire.ts'
import { WEEKDAYS } from './on-call-choices.ts'

export const Weekday = Type.Enum([...WEEKDAYS], { $id: 'Weekday', description: 'A day of the week, as in RFC 5545' })

export const LayerRestriction = Type.Object(
  {
    days: Type.Array(Ref(Weekday), {
      minItems: 1,
      maxItems: WEEKDAYS.length,
      uniqueItems: true,
      description: 'the days on which the hours begin',
    }),
    from: ClockTime('local time, `09:00`', '09:00'),
    to: ClockTime('local time; not after `from`: of the next day', '17:00'),
  },
  { $id: 'LayerRestriction', description: 'Hours of some days of the week', additionalProperties: false },
)
export type LayerRestriction = Static<typeof LayerRestriction>
