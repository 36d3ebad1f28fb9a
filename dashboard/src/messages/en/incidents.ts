export const incidents = {
  title: 'Incidents',
  noneOpen: 'No open incidents',
  noneResolved: 'No resolved incidents yet',
  search: 'Search incidents',
  severity: 'Severity',
  anySeverity: 'Any severity',
  anyTime: 'Any time',
  lastTime: (period: string) => `Last ${period}`,
  ofTarget: (name: string) => `Of ${name}`,
  repeated: (count: number, span: string) => `${count} times in ${span}`,
  noneLead: 'Every organization starts with four alert rules. The incidents they open appear here and are sent to your channels.',
  rules: 'Alert rules',
  suppressed: 'suppressed',
  suppressedLead:
    'A maintenance window, or something that this depends on and that is down or not checked yet, suppresses the notification. If the incident is still open afterwards, it is sent then.',
  duration: 'Duration',
  openFor: 'Open for',
  moreChildren: (count: number) => `and ${count.toLocaleString('en')} more`,
  count: (count: number) => (count === 1 ? '1 incident' : `${count.toLocaleString('en')} incidents`),
  sharedTag: (count: number | undefined, tag: string) =>
    `${count === undefined ? 'Servers' : `${count.toLocaleString('en')} servers`} with the tag ${tag} are offline`,
  openCount: (count: number) => (count === 1 ? '1 open incident' : `${count.toLocaleString('en')} open incidents`),
}
