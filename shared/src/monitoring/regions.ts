import { type Static, Type } from 'typebox'
import { ServerStatusName } from '../hosts/servers.ts'
import { Ref } from '../wire/wire.ts'

/** Id of a region. Requests accept any text: invalid and unknown ids get the same error. */
export const RegionId = Type.String({ minLength: 1, maxLength: 63, pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$' })
export const RegionName = Type.String({ examples: ['local'] })

export const MAX_CONTROL_TARGETS = 16

export const ControlTarget = Type.Object(
  { type: Type.Enum(['gateway', 'resolver', 'setting']), address: Type.String({ maxLength: 300, examples: ['192.0.2.1'] }) },
  {
    $id: 'ControlTarget',
    description:
      'An address that a region can reach while its own network works; a failed check is inconclusive while it reaches none',
  },
)
export type ControlTarget = Static<typeof ControlTarget>

export const Region = Type.Object(
  {
    id: RegionName,
    name: RegionName,
    status: Ref(ServerStatusName),
    control_targets: Type.Array(Ref(ControlTarget), { description: 'of its workers that were seen in the last 90 s' }),
  },
  { $id: 'Region', description: 'A location that runs checks' },
)
export const RegionList = Type.Object(
  { regions: Type.Array(Ref(Region)) },
  { $id: 'RegionList', description: 'All regions of the installation' },
)
