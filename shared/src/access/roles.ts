import { Type } from 'typebox'
import { ROLES, SCOPES } from './access.ts'

/** A member's rank on the wire. */
export const RoleName = Type.Enum([...ROLES], { $id: 'Role', description: "A member's rank in an organization" })

export const Scopes = Type.Array(Type.Enum([...SCOPES]), {
  $id: 'Scopes',
  minItems: 1,
  maxItems: SCOPES.length,
  uniqueItems: true,
  description: 'The access of an API key; scopes add up',
  examples: [['agent']],
})
