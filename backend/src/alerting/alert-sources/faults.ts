import type { CreateAlertSourceBody, ErrorDetail } from '@vedette/shared'
import { certainFaults, type OwnFaults } from '../../platform/http/index.ts'
import type { SourceColumns } from './store.ts'

// What the schema cannot validate. All pure.

type Checked = Pick<SourceColumns, 'type' | 'channel_ids' | 'escalation_policy_id' | 'template'>

export const sourceFaults = ({
  type,
  channel_ids: channelIds,
  escalation_policy_id: policyId,
  template,
}: Checked): ErrorDetail[] => [
  ...(policyId !== null && channelIds.length > 0
    ? [{ path: 'channel_ids', message: 'must be empty with an escalation policy, which has its own' }]
    : []),
  ...(template !== null && type !== 'generic' ? [{ path: 'template', message: 'is of the type generic alone' }] : []),
]

/** Of a new source. */
export const ownSourceFaults: OwnFaults = (body, isRefused) => {
  const given = body as Partial<CreateAlertSourceBody>
  const { type = 'generic', channel_ids: channelIds = [], escalation_policy_id: policyId = null, template = null } = given
  const faults = sourceFaults({ type, channel_ids: channelIds, escalation_policy_id: policyId, template })
  return certainFaults(faults, { channel_ids: ['escalation_policy_id'], template: ['type'] }, isRefused)
}
