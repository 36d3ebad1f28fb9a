/** What was deleted and can be restored. */
export const deleted = {
  show: 'Show deleted',
  title: 'Deleted',
  lead: 'Each can be restored as it was, with its history, until its date.',
  empty: 'Nothing was deleted in the last 30 days',
  restore: 'Restore',
  removed: 'Removed for good',
  monitors: {
    title: 'Deleted monitors',
    lead: 'Each can be restored with its history until its date.',
    empty: {
      title: 'No monitor was deleted in the last 30 days',
      lead: 'A deleted monitor stays here for that time, with its history.',
    },
  },
}
