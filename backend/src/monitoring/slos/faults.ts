import type { CreateSloBody, ErrorDetail } from '@vedette/shared'
import { certainFaults, type OwnFaults } from '../../platform/http/index.ts'
import { zoneFaults } from '../../platform/time/instant.ts'
import type { SloColumns } from './store.ts'

// What the schema cannot validate. All pure.

export const targetFaults = ({ id = null, tag = null }: CreateSloBody['target']): ErrorDetail[] =>
  (id === null) === (tag === null) ? [{ path: 'target', message: 'must have either an id or a tag' }] : []

export function sloFaults({
  kind,
  threshold_ms,
  time_zone,
}: Pick<SloColumns, 'kind' | 'threshold_ms' | 'time_zone'>): ErrorDetail[] {
  const faults: ErrorDetail[] = []
  if (kind === 'latency' && threshold_ms === null) faults.push({ path: 'threshold_ms', message: 'is required for a latency' })
  if (kind === 'availability' && threshold_ms !== null)
    faults.push({ path: 'threshold_ms', message: 'must be null for an availability' })
  return [...faults, ...zoneFaults(time_zone)]
}

export const recipientFaults = (channelIds: readonly string[], policyId: string | null): ErrorDetail[] =>
  policyId !== null && channelIds.length > 0
    ? [{ path: 'channel_ids', message: 'must be empty with an escalation policy, which has its own' }]
    : []

/** Of a new SLO. */
export const ownSloFaults: OwnFaults = (body, isRefused) => {
  const given = body as Partial<CreateSloBody>
  const { target, kind = 'availability', threshold_ms = null, time_zone = 'UTC' } = given
  const { channel_ids: channelIds = [], escalation_policy_id: policyId = null } = given
  const faults = [
    ...(target ? targetFaults(target) : []),
    ...sloFaults({ kind, threshold_ms, time_zone }),
    ...recipientFaults(channelIds, policyId),
  ]
  return certainFaults(faults, { threshold_ms: ['kind'], channel_ids: ['escalation_policy_id'] }, isRefused)
}
