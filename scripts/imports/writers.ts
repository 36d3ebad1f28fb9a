/**
 * Tables that a feature writes although another one owns them. A table has one feature that writes it: this list may only get shorter.
 * Lint refuses a line that is not needed any more, and a test holds its length.
 */
export const FURTHER_WRITERS: Readonly<Record<string, readonly string[]>> = {
  // Deleted channels and policies are taken out of rules.
  alert_rule: ['references'],
  // The chats of a member who leaves go too.
  chat_account: ['members'],
  // Each kind of key stores its own secret.
  credential: ['api-keys', 'enrollment-tokens'],
  // Deleted channels and schedules are taken out of steps.
  escalation_policy: ['references'],
  // Views and quiet time of a member are columns of the membership.
  membership: ['auth'],
  // Since when it flaps is a column of the status.
  monitor_status: ['alerts'],
  // The plan is a column of the organization.
  organization: ['plans'],
  // A reset of the second factor removes passkeys too, and the end of a session its subscriptions.
  passkey: ['auth'],
  push_subscription: ['auth'],
  // Whose shift was announced is a column of the schedule.
  schedule: ['handovers'],
  // A session that adds a passkey has it from then on.
  session: ['passkeys'],
  // One row by key.
  setting: ['self-monitoring'],
  // Each push stores the newest values, and a server its last sign of life.
  server_newest: ['metrics'],
}
