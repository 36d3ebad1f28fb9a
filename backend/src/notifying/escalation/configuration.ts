import { CreateEscalationPolicyBody, ESCALATION_WAIT_SECONDS, type EscalationStepBody } from '@vedette/shared'
import { type Configuration, pickFields, toConfigured } from '../../access/auth/index.ts'
import type { EscalationDeps } from './service.ts'
import { readPolicies } from './store.ts'
import { toPolicy } from './wire.ts'

const STEP = { channel_ids: [], schedule_ids: [], user_ids: [], wait_seconds: ESCALATION_WAIT_SECONDS.default, restrictions: [] }

export const policyConfiguration: Configuration<EscalationDeps> = {
  kind: 'escalation_policy',
  table: 'escalation_policy',
  read: async ({ db }, tenant, ids) =>
    (await readPolicies(db, tenant.number, ids)).map((row) =>
      toConfigured(row, pickFields(CreateEscalationPolicyBody, toPolicy(row))),
    ),
  complete: ({ steps = [], ...spec }) => ({
    time_zone: 'UTC',
    repeats: 0,
    reopen_seconds: null,
    tags: [],
    ...spec,
    steps: (steps as EscalationStepBody[]).map((step) => ({ ...STEP, ...step })),
  }),
}
