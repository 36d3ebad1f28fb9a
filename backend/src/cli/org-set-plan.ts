import { PLAN_NAMES } from '@vedette/shared'
import { SYSTEM } from '../audit/index.ts'
import { encodeId } from '../platform/ids.ts'
import { setPlan } from '../plans/index.ts'
import { oneOf, type Task } from './command.ts'
import { withDatabase } from './database.ts'
import { findOrganization } from './organization.ts'

export const orgSetPlan: Task = {
  name: 'org set-plan',
  summary: `put an organization on a plan: ${PLAN_NAMES.join(', ')}; what it has beyond the limits stays`,
  parameters: ['org_…', 'plan'],
  run: ({ parameters }, world) => {
    const plan = oneOf('The plan', parameters['plan'] as string, PLAN_NAMES)
    return withDatabase(world, async (db) => {
      const organization = await findOrganization(db, parameters['org_…'])
      await setPlan(db, world.clock, organization, plan, SYSTEM)
      const id = encodeId('organization', organization.id)
      return { json: { id, plan, previous_plan: organization.plan }, text: `${organization.name} is on the plan ${plan}` }
    })
  },
}
