import { Type } from 'typebox'

export const Health = Type.Object(
  { status: Type.Enum(['ok', 'ready']) },
  { $id: 'Health', description: '`ok`: the process serves requests; `ready`: the database answers and is migrated' },
)
