import { matches } from '../../../querying/promql/index.ts'
import type { StoredSilence } from '../../../platform/db/index.ts'

type Labels = Readonly<Record<string, string>>

/** Whether a window is a silence of alerts with these labels. Pure. */
export const isSilenceOf = ({ silence }: { silence: StoredSilence | null }, labels: Labels): boolean =>
  silence !== null && matches(toMatchers(silence), labels)

const toMatchers = ({ matchers }: StoredSilence) =>
  matchers.map(({ name, value, is_regex: isRegex }) => ({ label: name, op: isRegex ? ('=~' as const) : ('=' as const), value }))
