import { type Static, Type } from 'typebox'
import { AlertTargetTypeName } from '../alerting/alert-rules.ts'
import { MAX_DEPENDENCIES, MAX_TAG_LENGTH } from '../wire/limits.ts'
import { Ref } from '../wire/wire.ts'

export const Dependency = Type.Object(
  {
    type: Ref(AlertTargetTypeName),
    id: Type.Optional(Type.String({ maxLength: 200, description: 'one monitor or server' })),
    tag: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_TAG_LENGTH,
        description: 'any monitor or server with this tag',
        examples: ['database'],
      }),
    ),
  },
  {
    $id: 'Dependency',
    description: 'What a monitor or server depends on: `type` with either `id` or `tag`',
    additionalProperties: false,
    minProperties: 2,
    maxProperties: 2,
  },
)
export type Dependency = Static<typeof Dependency>

export const DependsOn = Type.Array(Ref(Dependency), {
  $id: 'DependsOn',
  maxItems: MAX_DEPENDENCIES,
  description: 'While one of these is down or offline, incidents open silently; deleted ones are left out. None twice, no cycles',
})
