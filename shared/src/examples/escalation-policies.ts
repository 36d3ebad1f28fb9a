import type {
  CreateEscalationPolicyBody,
  EscalationPolicy,
  EscalationPolicyList,
  EscalationRecipient,
  EscalationRecipients,
  EscalationStepBody,
  PatchEscalationPolicyBody,
} from '../notifying/escalation-policies.ts'
import { PAGE, USER_ID } from './common.ts'

const SCHEDULE_ID = 'sch_01m7z5b2dqf4s8y3v6k9x0c1wh'
const recipient: EscalationRecipient = { user_id: USER_ID, email: 'ada@example.com', reachable: true }
const step: EscalationStepBody = { schedule_ids: [SCHEDULE_ID], wait_seconds: 300 }
const policy: EscalationPolicy = {
  id: 'esp_01m7z6t5yqf0s8v4x2k9c3bwhn',
  name: 'Shop',
  time_zone: 'Europe/Berlin',
  steps: [{ channel_ids: [], schedule_ids: [SCHEDULE_ID], user_ids: [], wait_seconds: 300, restrictions: [] }],
  repeats: 2,
  reopen_seconds: 7_200,
  tags: ['shop'],
  created_at: '2026-11-21T09:41:12.000Z',
  updated_at: '2026-11-21T09:41:12.000Z',
}

export const ESCALATION_EXAMPLES = {
  EscalationStepBody: { example: step },
  CreateEscalationPolicyBody: {
    example: { name: 'Shop', steps: [step], repeats: 2, reopen_seconds: 7_200 } satisfies CreateEscalationPolicyBody,
  },
  PatchEscalationPolicyBody: { example: { repeats: 3 } satisfies PatchEscalationPolicyBody },
  EscalationStep: { example: policy.steps[0] },
  EscalationPolicy: { example: policy },
  EscalationPolicyList: { example: { escalation_policies: [policy], ...PAGE } satisfies EscalationPolicyList },
  EscalationRecipient: { example: recipient },
  EscalationRecipients: {
    example: {
      at: '2026-11-21T09:45:00.000Z',
      steps: [{ active: true, channel_ids: [], users: [recipient], gap_schedule_ids: [] }],
    } satisfies EscalationRecipients,
  },
}
