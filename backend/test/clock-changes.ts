/** Each with both changes of the clock of 2027, ms: half an hour in Lord Howe, at midnight in Santiago. */
export const ZONES: readonly [zone: string, forward: string, back: string][] = [
  ['Europe/Berlin', '2027-03-28T01:00Z', '2027-10-31T01:00Z'],
  ['Europe/London', '2027-03-28T01:00Z', '2027-10-31T01:00Z'],
  ['America/New_York', '2027-03-14T07:00Z', '2027-11-07T06:00Z'],
  ['America/Santiago', '2027-09-05T04:00Z', '2027-04-04T03:00Z'],
  ['Australia/Sydney', '2027-10-02T16:00Z', '2027-04-03T16:00Z'],
  ['Australia/Lord_Howe', '2027-10-02T15:30Z', '2027-04-03T15:00Z'],
]
