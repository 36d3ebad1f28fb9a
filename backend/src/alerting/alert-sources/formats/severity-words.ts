import type { AlertSourceType, Severity } from '@vedette/shared'

type Words = Readonly<Record<string, Severity>>

const STATES: Words = { down: 'critical', unreachable: 'warning', unknown: 'warning' }

/** What senders of one type mean by a word, in small letters, where the words that all types share say nothing of it or something else. */
export const OWN_WORDS: Readonly<Partial<Record<AlertSourceType, Words>>> = {
  pagerduty_v2: { error: 'critical' },
  opsgenie: { p1: 'critical', p2: 'critical', p3: 'warning' },
  checkmk: STATES,
  icinga2: STATES,
}
