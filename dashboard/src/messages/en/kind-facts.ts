export const kindFacts = {
  title: 'What the checks find',
  times: 'Times of the latest checks',
  figures: 'Figures of the latest checks',
}
