/**
 * Words that these senders have for severities, in small letters, where the words that every source knows (`critical`, `disaster`, `high`,
 * `warning`, `average` …) do not fit: states of hosts and services, priorities of Opsgenie, `error` of PagerDuty. The map of a source goes
 * before them.
 */
export const SEVERITY_WORDS: Readonly<Record<string, 'critical' | 'warning' | 'info'>> = {
  error: 'critical',
  down: 'critical',
  unreachable: 'critical',
  unknown: 'warning',
  p1: 'critical',
  p2: 'critical',
  p3: 'warning',
  p4: 'info',
  p5: 'info',
}
