import type { SloDetails } from '@vedette/shared'
import { StatusBadge } from '../../components/status.tsx'
import { slos } from '../../messages/slos.ts'
import { type SloState, stateOf } from './state.ts'

const text = slos

/** The status whose mark and colours a state has. */
const STATUSES: Readonly<Record<SloState, string>> = {
  met: 'up',
  burning: 'warning',
  exceeded: 'critical',
  no_checks: 'inconclusive',
}

export function SloBadge({ slo }: { slo: SloDetails }) {
  const state = stateOf(slo)
  return <StatusBadge status={STATUSES[state]} label={text.states[state]} />
}
