/** The preview of an alert rule. */
export const rulePreview = {
  title: 'Preview (last 7 days)',
  lead: 'Shows the incidents that this rule would have opened. Nothing is stored.',
  run: 'Run preview',
  runAgain: 'Run again',
  running: 'Running …',
  noTarget: 'No monitor or server matches this rule yet.',
  result: (count: number, targets: number) =>
    `${count === 0 ? 'No' : count.toLocaleString('en')} ${count === 1 ? 'incident' : 'incidents'} in 7 days (${targets} ${targets === 1 ? 'target' : 'targets'})`,
  moreTargets: 'Only the first 50 targets by name were evaluated.',
  resolution: (span: string) => `Resolution: ${span}.`,
  outdated: 'The rule has changed since this preview.',
  stillOpen: 'still open',
  strip: (count: number) => `${count} incidents in 7 days`,
  more: (count: number) => `${count.toLocaleString('en')} earlier`,
}
