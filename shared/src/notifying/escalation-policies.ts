import { type Static, Type } from 'typebox'
import { NullablePersonName } from '../access/auth.ts'
import { exampleId, IdOf } from '../wire/ids.ts'
import { MAX_NAME_LENGTH, MAX_TAG_LENGTH, MAX_TAGS } from '../wire/limits.ts'
import {
  ESCALATION_WAIT_SECONDS,
  MAX_ESCALATION_REPEATS,
  MAX_ESCALATION_STEPS,
  MAX_LAYER_RESTRICTIONS,
  MAX_STEP_RECIPIENTS,
  REOPEN_SECONDS,
} from './on-call-choices.ts'
import { LayerRestriction } from './weekly-hours.ts'
import { ManagedField } from '../wire/managed.ts'
import {
  EmailText,
  InstantText,
  Nullable,
  PageAnswer,
  PageQuery,
  Ref,
  Timestamp,
  TimeZoneName,
  VisibleText,
} from '../wire/wire.ts'

const Name = VisibleText(MAX_NAME_LENGTH, { examples: ['Shop'] })
const ids = (description: string, options?: { examples: [string[]] }) =>
  Type.Array(Type.String({ maxLength: 200 }), { maxItems: MAX_STEP_RECIPIENTS, uniqueItems: true, description, ...options })
const Wait = Type.Integer({
  minimum: ESCALATION_WAIT_SECONDS.minimum,
  maximum: ESCALATION_WAIT_SECONDS.maximum,
  description: `how long the next step waits for an acknowledgement; default ${ESCALATION_WAIT_SECONDS.default}`,
  examples: [300],
})
const Restrictions = Type.Array(Ref(LayerRestriction), {
  maxItems: MAX_LAYER_RESTRICTIONS,
  description: 'the step is passed over outside of these hours; empty: always',
})

export const EscalationStepBody = Type.Object(
  {
    channel_ids: Type.Optional(ids('channels of the organization')),
    schedule_ids: Type.Optional(
      ids('on-call schedules: who is on duty at that time; nobody: the owners', { examples: [[exampleId('schedule')]] }),
    ),
    user_ids: Type.Optional(ids('members')),
    wait_seconds: Type.Optional(Wait),
    restrictions: Type.Optional(Restrictions),
  },
  { $id: 'EscalationStepBody', description: 'Who is notified together; at least one of them', additionalProperties: false },
)
export type EscalationStepBody = Static<typeof EscalationStepBody>

const Definition = {
  time_zone: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'IANA name, of the hours of steps. Default `UTC`' }),
  ),
  repeats: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_ESCALATION_REPEATS,
      description: 'how often the steps are repeated after the last one; default 0',
      examples: [2],
    }),
  ),
  reopen_seconds: Type.Optional(
    Nullable(
      Type.Integer({
        ...REOPEN_SECONDS,
        description: 'an incident that is not resolved within this time after its acknowledgement opens again; null: never',
        examples: [7_200],
      }),
    ),
  ),
  tags: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: MAX_TAG_LENGTH }), {
      maxItems: MAX_TAGS,
      uniqueItems: true,
      description: 'incidents of monitors and servers with one of these go to the policy in place of the channels of their rule',
    }),
  ),
}
const Steps = Type.Array(Ref(EscalationStepBody), {
  minItems: 1,
  maxItems: MAX_ESCALATION_STEPS,
  description: 'in their order; at least one without restrictions',
})

export const CreateEscalationPolicyBody = Type.Object(
  { name: Name, steps: Steps, ...Definition },
  { $id: 'CreateEscalationPolicyBody', description: 'Who is notified of an incident, and who next', additionalProperties: false },
)
export type CreateEscalationPolicyBody = Static<typeof CreateEscalationPolicyBody>

export const PatchEscalationPolicyBody = Type.Object(
  { name: Type.Optional(Name), steps: Type.Optional(Steps), ...Definition },
  {
    $id: 'PatchEscalationPolicyBody',
    description: 'Changes only the fields that are given; `steps` are replaced as a whole',
    examples: [{ repeats: 3 }],
    additionalProperties: false,
    minProperties: 1,
  },
)
export type PatchEscalationPolicyBody = Static<typeof PatchEscalationPolicyBody>

export const EscalationStep = Type.Object(
  {
    channel_ids: Type.Array(IdOf('channel')),
    schedule_ids: Type.Array(IdOf('schedule')),
    user_ids: Type.Array(IdOf('user')),
    wait_seconds: Type.Integer({ examples: [300] }),
    restrictions: Restrictions,
  },
  { $id: 'EscalationStep', description: 'Who is notified together' },
)
export type EscalationStep = Static<typeof EscalationStep>

export const EscalationPolicy = Type.Object(
  {
    id: IdOf('escalationPolicy'),
    name: Type.String({ examples: ['Shop'] }),
    time_zone: TimeZoneName,
    steps: Type.Array(Ref(EscalationStep)),
    repeats: Type.Integer({ examples: [2] }),
    reopen_seconds: Nullable(Type.Integer({ examples: [7_200] })),
    tags: Type.Array(Type.String({ examples: ['shop'] })),
    managed: ManagedField,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { $id: 'EscalationPolicy', description: 'Who is notified of an incident, and who next while nobody acknowledges it' },
)
export type EscalationPolicy = Static<typeof EscalationPolicy>

export const EscalationPolicyListQuery = Type.Object(PageQuery, { additionalProperties: false })
export const EscalationPolicyList = Type.Object(
  { escalation_policies: Type.Array(Ref(EscalationPolicy)), ...PageAnswer },
  { $id: 'EscalationPolicyList', description: 'A page of escalation policies, newest first' },
)
export type EscalationPolicyList = Static<typeof EscalationPolicyList>

export const EscalationRecipientsQuery = Type.Object(
  { at: Type.Optional(InstantText('ISO 8601, at most 10 years from now. Default: now')) },
  { additionalProperties: false },
)
export const EscalationRecipient = Type.Object(
  {
    user_id: IdOf('user'),
    email: EmailText,
    name: NullablePersonName,
    reachable: Type.Boolean({
      description: 'whether there is a contact method, a browser with notifications or a verified e-mail',
      examples: [true],
    }),
  },
  { $id: 'EscalationRecipient', description: 'A person whom a step notifies' },
)
export type EscalationRecipient = Static<typeof EscalationRecipient>

export const EscalationRecipients = Type.Object(
  {
    at: Timestamp,
    steps: Type.Array(
      Type.Object({
        active: Type.Boolean({ description: 'false: the step is passed over, outside of its hours', examples: [true] }),
        channel_ids: Type.Array(IdOf('channel'), { description: 'those that are enabled' }),
        users: Type.Array(Ref(EscalationRecipient)),
        gap_schedule_ids: Type.Array(IdOf('schedule'), {
          description: 'schedules with nobody on duty: the owners are notified',
          examples: [[]],
        }),
      }),
    ),
  },
  { $id: 'EscalationRecipients', description: 'Whom each step of a policy would notify at an instant' },
)
export type EscalationRecipients = Static<typeof EscalationRecipients>
