import type { AlertTargetType } from './alert-types.ts'
import { CHECK_TYPES, type CheckKindSpec } from './checks/kinds/index.ts'
import { ALL_FIELDS } from './metrics/fields.ts'

const kinds: CheckKindSpec[] = Object.values(CHECK_TYPES)
/** Facts of checks that are numbers. */
const FACTS = new Set(
  kinds.flatMap(({ facts }) =>
    Object.entries(facts).flatMap(([name, { valueKinds }]) => (valueKinds.includes('number') ? [name] : [])),
  ),
)

/** The metrics of a rule by the type of its target. `status` is text, all others are numbers. */
export const ALERT_METRICS: Readonly<Record<AlertTargetType, readonly string[]>> = {
  monitor: ['status', 'response_ms', 'certificate_days', ...FACTS],
  server: ['status', ...ALL_FIELDS.map(({ group, name }) => `${group}.${name}`), 'filesystem.percent'],
}
