/** An alert rule on a PromQL expression. */
export const ruleExpression = {
  metric: 'PromQL expression',
  field: 'Expression',
  hint: 'Each series of the answer opens an incident, at most 100. Names in it stay as they are when a host is renamed.',
  every: 'Evaluated every',
  target: 'The expression says which hosts and monitors the rule is about.',
  failed: (reason: string) => `The last evaluation failed, and opened and resolved nothing: ${reason}`,
  noTarget: 'The expression gave no series in 7 days.',
  moreTargets: 'Only the first 1,000 series were evaluated.',
}
