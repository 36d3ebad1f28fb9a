import { ACCESS, PERMISSIONS, ROLES, SCOPES } from '@vedette/shared'
import { describe, expect, it } from 'vitest'

/** As the contract writes it; what comes with features of our own (the audit log) is in its place. */
const WRITTEN = `
  permission           | owner | admin | member | viewer | scope admin | scope write | scope read | scope agent | scope ingest
  read                 | x     | x     | x      | x      | x           |             | x          |             |
  org:read             | x     | x     | x      | x      | x           |             |            |             |
  monitors:create      | x     | x     | x      |        | x           | x           |            |             |
  monitors:update      | x     | x     | x      |        | x           | x           |            |             |
  monitors:delete      | x     | x     |        |        | x           |             |            |             |
  servers:delete       | x     | x     |        |        | x           |             |            |             |
  servers:admin        | x     | x     |        |        | x           |             |            |             |
  members:invite       | x     | x     |        |        | x           |             |            |             |
  members:remove       | x     | x     |        |        | x           |             |            |             |
  members:update       | x     | x     |        |        | x           |             |            |             |
  integrations:manage  | x     | x     |        |        | x           |             |            |             |
  audit:read           | x     | x     |        |        | x           |             |            |             |
  org:update           | x     |       |        |        | x           |             |            |             |
  org:delete           | x     |       |        |        |             |             |            |             |
  servers:register     |       |       |        |        | x           |             |            | x           |
  metrics:write        |       |       |        |        | x           |             |            | x           |
  series:write         |       |       |        |        | x           |             |            | x           | x
`

const [head = [], ...rows] = WRITTEN.trim()
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))

describe('who may do what', () => {
  it('is written down for every permission, role and scope', () => {
    expect(new Set(rows.map(([permission]) => permission))).toEqual(new Set(PERMISSIONS))
    expect(new Set(head.slice(1))).toEqual(new Set([...ROLES, ...SCOPES.map((scope) => `scope ${scope}`)]))
  })

  it.each(rows)('%s is as it is written', (...row) => {
    const { roles, scopes } = ACCESS[row[0] as (typeof PERMISSIONS)[number]]
    const granted = new Set(head.filter((_, column) => row[column] === 'x'))
    expect(new Set([...roles, ...scopes.map((scope) => `scope ${scope}`)])).toEqual(granted)
  })
})
