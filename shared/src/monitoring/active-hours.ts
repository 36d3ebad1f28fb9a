import { type Static, Type } from 'typebox'
import { LayerRestriction } from '../notifying/weekly-hours.ts'
import { MAX_ACTIVE_HOURS } from '../wire/limits.ts'
import { Ref, TimeZoneName } from '../wire/wire.ts'

export const ActiveHours = Type.Object(
  {
    time_zone: Type.String({ ...TimeZoneName, minLength: 1, maxLength: 64, description: 'of the IANA database' }),
    ...LayerRestriction.properties,
  },
  { $id: 'ActiveHours', description: 'Hours of some days of the week in a time zone', additionalProperties: false },
)
export type ActiveHours = Static<typeof ActiveHours>

export const ActiveHoursList = Type.Array(Ref(ActiveHours), {
  maxItems: MAX_ACTIVE_HOURS,
  description:
    'when it is monitored; at all other times it is `idle`: not checked, and counted in nothing. Empty: always, which is the default',
  examples: [[]],
})
