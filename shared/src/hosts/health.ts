import { type Static, Type } from 'typebox'
import { SeverityName } from '../alerting/alert-rules.ts'
import { IdOf } from '../wire/ids.ts'
import { Nullable, Ref, Timestamp } from '../wire/wire.ts'
import { HEALTH_CODES, HEALTH_STATUSES } from './health-codes.ts'

export const HealthStatusName = Type.Enum([...HEALTH_STATUSES], {
  $id: 'HealthStatus',
  description: 'The severity of the worst finding; `ok` without any',
})

export const HealthFinding = Type.Object(
  {
    code: Type.Enum(HEALTH_CODES, { examples: ['disk_failing'] }),
    severity: Ref(SeverityName),
    text: Type.Optional(
      Type.String({
        description: 'in details, and in a list with `include=health`',
        examples: ['Disk sda has 312 reallocated sectors (limit 50)'],
      }),
    ),
    since: Timestamp,
    entity_id: Nullable(IdOf('entity', 'what it is about; null: it is no entity')),
    field: Nullable(Type.String({ description: 'a field of the entity, or a mount', examples: ['reallocated_sectors'] })),
    value: Nullable(Type.Number({ examples: [312] })),
    limit: Nullable(Type.Number({ description: 'at which it begins; null with `value` for what is or is not', examples: [50] })),
  },
  { $id: 'HealthFinding', description: 'Something that is wrong with a server' },
)
export type HealthFinding = Static<typeof HealthFinding>

export const ServerHealth = Type.Object(
  {
    status: Ref(HealthStatusName),
    findings: Type.Array(Ref(HealthFinding), { description: 'worst first, at most 100' }),
  },
  { $id: 'ServerHealth', description: 'What is wrong with a server, by its newest samples' },
)
export type ServerHealth = Static<typeof ServerHealth>

/** Named parts of the answers above. */
export const HEALTH_PARTS = [HealthStatusName, HealthFinding]
