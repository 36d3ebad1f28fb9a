export { CreateEscalationPolicyBody, CreateScheduleBody, ScheduleOverrideBody } from '@vedette/shared'
