/** Escalation policies and on-call schedules. */
export const onCall = {
  policy: 'Escalation policy',
  noPolicy: 'None: notify the channels below',
  policyHint: 'It says who is notified, and who next while nobody acknowledges.',
}
