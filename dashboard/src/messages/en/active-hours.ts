export const activeHours = {
  title: 'Active hours',
  label: 'Only in these hours',
  hint: 'Always. Outside of hours that you add it is not checked, and that time counts in nothing.',
  idle: 'Outside of its active hours',
  until: (at: string) => `Active again from ${at}`,
  entry: (days: string, from: string, to: string, zone: string) => `${days}, ${from}–${to} (${zone})`,
}
