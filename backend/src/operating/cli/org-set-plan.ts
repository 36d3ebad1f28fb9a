import { oneLine, PLAN_NAMES } from '@vedette/shared'
import { SYSTEM } from '../../access/audit/index.ts'
import { encodeId } from '../../platform/ids.ts'
import { setPlan } from '../../access/plans/index.ts'
import { oneOf, type Task } from './command.ts'
import { withDatabase } from './database.ts'
import { findOrganization } from './find-organization.ts'

export const orgSetPlan: Task = {
  name: 'org set-plan',
  summary: `set the plan of an organization: ${PLAN_NAMES.join(', ')}; nothing over the new limits is deleted`,
  parameters: ['org_…', 'plan'],
  run: ({ parameters }, context) => {
    const plan = oneOf('The plan', parameters['plan'] as string, PLAN_NAMES)
    return withDatabase(context, async (db) => {
      const organization = await findOrganization(db, parameters['org_…'])
      await setPlan(db, context.clock, organization, plan, SYSTEM)
      const id = encodeId('organization', organization.id)
      return {
        json: { id, plan, previous_plan: organization.plan },
        text: `${oneLine(organization.name)} is on the plan ${plan}`,
      }
    })
  },
}
