import type { ChangeSetItem } from '@vedette/shared'
import { StatusBadge } from '../../components/status.tsx'
import { Instant } from '../../components/time.tsx'
import { actorName } from '../../lib/person.ts'
import { dayAndClock } from '../../lib/time.ts'
import { changes } from '../../messages/changes.ts'

type Origin = Pick<ChangeSetItem, 'created_at' | 'created_by' | 'applied_at' | 'applied_by' | 'owner'>

/** When, who and from where. */
export function MadeBy({ set }: { set: Origin }) {
  return (
    <span className="[overflow-wrap:anywhere]">
      <Instant at={set.applied_at ?? set.created_at} format={dayAndClock} /> ·{' '}
      <bdi>{actorName(set.applied_by ?? set.created_by, changes.system)}</bdi> · {set.owner ?? changes.byHand}
    </span>
  )
}

export const StateBadge = ({ state }: Pick<ChangeSetItem, 'state'>) => (
  <StatusBadge status={state} label={changes.states[state]} />
)
