const plural = (count: number, one: string, many: string): string => `${count.toLocaleString('en')} ${count === 1 ? one : many}`
const figure = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 1 })

export const kindFacts = {
  /** In a list, after what is checked. */
  words: {
    loss: (percent: number) => `${figure(percent)} % loss`,
    roundTrip: (ms: number) => `${figure(ms)} ms`,
    certificate: (days: number) => (days < 0 ? 'certificate expired' : `certificate ${plural(days, 'day', 'days')}`),
    registered: (days: number) => `registered for ${plural(Math.floor(days), 'day', 'days')}`,
    answers: (count: number) => plural(count, 'answer', 'answers'),
    rows: (count: number) => plural(count, 'row', 'rows'),
    entries: (count: number) => plural(count, 'entry', 'entries'),
    offset: (ms: number) => `clock ${figure(ms)} ms off`,
    steps: (count: number) => plural(count, 'step', 'steps'),
    next: (at: string) => `next ping ${at}`,
    late: (at: string) => `ping late since ${at}`,
  },
  title: 'What the checks find',
  times: 'Times of the latest checks',
  figures: 'Figures of the latest checks',
}
